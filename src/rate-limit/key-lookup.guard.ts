import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ApiKeyLookup } from '../auth/principal.js';
import { PendingLookUps } from './anonymous/pending-look-ups.js';
import { isPreflight } from './anonymous/preflight.js';
import { decisive } from './decision.js';
import { network } from './network.js';
import { RateLimiter } from './rate-limiter.js';
import { RateLimitResponder } from './rate-limit.responder.js';

/**
 * Looks up the keys that memory knows nothing of. What turns out to be no key is charged to the address, and an
 * exhausted address is refused without a look-up: made-up keys cost PostgreSQL no more than the limit of addresses.
 */
@Injectable()
export class KeyLookupGuard implements CanActivate {
  private readonly pending = new PendingLookUps();

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
    await this.pending.run(
      network(request.ip),
      () => this.left(request, response),
      async () => {
        if (await this.identify(request, lookUp)) await this.limiter.consumeAhead(request);
      },
    );
    return true;
  }

  /** @throws RateLimitExceeded */
  private async left(request: Request, response: Response): Promise<number> {
    const verdict = await this.limiter.peek(request);
    if (!verdict.admitted) this.responder.respond(request, response, verdict);
    return decisive(verdict).remaining;
  }

  /** @returns whether there is no such key */
  private async identify(request: Request, lookUp: ApiKeyLookup): Promise<boolean> {
    try {
      const principal = await lookUp.run();
      request.principal = principal ?? { kind: 'anonymous', sentKey: true };
      return !principal;
    } catch (thrown) {
      const failure = thrown instanceof Error ? thrown : new Error(String(thrown));
      request.principal = { kind: 'anonymous', sentKey: true, failure };
      return false;
    }
  }
}
