import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ApiKeyLookup } from '../auth/principal.js';
import { isPreflight } from '../http/cors.js';
import { tightestWindow } from './rate-limit.result.js';
import { LookupLimiter } from './lookup-limiter.js';
import { network } from './network.js';
import { RateLimiter } from './rate-limiter.js';
import { RateLimitResponder } from './rate-limit.responder.js';

/**
 * Looks up keys that are not in memory. An unknown key is charged to the address, and an exhausted address is refused
 * without a look-up: made-up keys cost PostgreSQL no more queries than the limit of an address.
 */
@Injectable()
export class KeyLookupGuard implements CanActivate {
  private readonly lookups = new LookupLimiter();

  constructor(
    private readonly limiter: RateLimiter,
    private readonly responder: RateLimitResponder,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { principal } = request;
    if (principal?.kind !== 'anonymous' || !principal.lookUp || isPreflight(request)) return true;
    return this.lookUp(request, http.getResponse(), principal.lookUp);
  }

  private async lookUp(request: Request, response: Response, lookUp: ApiKeyLookup): Promise<true> {
    if (lookUp.seenBefore) {
      await this.identify(request, lookUp);
      return true;
    }
    await this.lookups.run(
      network(request.ip),
      () => this.remaining(request, response),
      async () => {
        if (await this.identify(request, lookUp)) await this.limiter.consumeAhead(request);
      },
    );
    return true;
  }

  /** @throws RateLimitExceeded */
  private async remaining(request: Request, response: Response): Promise<number> {
    const result = await this.limiter.peek(request);
    if (!result.admitted) this.responder.respond(request, response, result);
    return tightestWindow(result).remaining;
  }

  /** @returns whether the key is unknown */
  private async identify(request: Request, lookUp: ApiKeyLookup): Promise<boolean> {
    try {
      const apiKey = await lookUp.run();
      request.principal = apiKey ?? { kind: 'anonymous', sentKey: true };
      return !apiKey;
    } catch (thrown) {
      const failure = thrown instanceof Error ? thrown : new Error(String(thrown));
      request.principal = { kind: 'anonymous', sentKey: true, failure };
      return false;
    }
  }
}
