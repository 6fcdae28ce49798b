import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiKeyResolver } from '../auth/api-key-resolver.js';
import { type Principal, secretOf } from '../auth/principal.js';
import { isPreflight } from '../http/middleware/cors.js';
import { isOutsideApi } from '../http/route/public.decorator.js';
import { LookupLimiter } from './lookup-limiter.js';
import { network, RateLimiter } from './rate-limiter.js';
import { RateLimitResponder } from './rate-limit.responder.js';
import { tightestWindow } from './rate-limit.result.js';

const NO_KEY: Principal = { kind: 'anonymous', sentKey: false };
const UNKNOWN_KEY: Principal = { kind: 'anonymous', sentKey: true };

/**
 * Sets `request.principal`. It refuses only requests from exhausted addresses; later guards refuse the rest, so that
 * every request is counted first. A key that is not in memory is looked up in PostgreSQL. An unknown key is charged to
 * the address, and an exhausted address is refused without a look-up. Invalid keys therefore cost at most as many
 * queries as the address has requests.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  private readonly lookups = new LookupLimiter();

  constructor(
    private readonly resolver: ApiKeyResolver,
    private readonly limiter: RateLimiter,
    private readonly responder: RateLimitResponder,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    if (isOutsideApi(context)) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const secret = secretOf(request);
    const known = secret === undefined ? undefined : this.resolver.known(secret);
    request.principal = known ?? (secret === undefined ? NO_KEY : UNKNOWN_KEY);
    if (secret === undefined || known !== undefined || isPreflight(request)) return true;
    return this.lookUp(request, http.getResponse(), secret);
  }

  private async lookUp(request: Request, response: Response, secret: string): Promise<true> {
    if (this.resolver.hasSeen(secret)) {
      request.principal = await this.find(secret);
      return true;
    }
    await this.lookups.run(
      network(request.ip),
      () => this.remaining(request, response),
      async () => {
        request.principal = await this.find(secret);
        if (request.principal === UNKNOWN_KEY) await this.limiter.consumeAhead(request);
      },
    );
    return true;
  }

  private async find(secret: string): Promise<Principal> {
    try {
      return (await this.resolver.lookUp(secret)) ?? UNKNOWN_KEY;
    } catch (thrown) {
      const failure = thrown instanceof Error ? thrown : new Error(String(thrown));
      return { kind: 'anonymous', sentKey: true, failure };
    }
  }

  /** @throws RateLimitExceeded */
  private async remaining(request: Request, response: Response): Promise<number> {
    const result = await this.limiter.peek(request);
    if (!result.admitted) this.responder.respond(request, response, result);
    return tightestWindow(result).remaining;
  }
}
