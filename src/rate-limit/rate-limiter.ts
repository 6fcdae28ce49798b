import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { ApiKeyPrincipal } from '../auth/principal.js';
import { Config } from '../kernel/config/config.js';
import { Bans } from './bans/bans.js';
import { chain, type MaybeAsync } from './maybe-async.js';
import { network } from './network.js';
import { PlanThrottlerStorage, type RateLimitClient } from './plan-throttler.storage.js';
import type { RateLimitResult } from './rate-limit.result.js';

type Identified = Pick<Request, 'ip'> & Partial<Pick<Request, 'principal'>>;

/** Decides ban, minute and day of a plan together, by API key or else by network address. */
@Injectable()
export class RateLimiter {
  /** Results of `consumeAhead`. */
  private readonly consumed = new WeakMap<object, RateLimitResult>();

  constructor(
    private readonly storage: PlanThrottlerStorage,
    private readonly bans: Bans,
    private readonly config: Config,
  ) {}

  /** Charges a request if it is admitted. */
  consume(request: Request): MaybeAsync<RateLimitResult> {
    const consumed = this.consumed.get(request);
    if (consumed) return consumed;
    const apiKey = apiKeyOf(request);
    const bannedFor = this.bannedFor(apiKey);
    const client = clientOf(request, this.config);
    if (bannedFor > 0) {
      return chain(this.storage.peek(client), (result) => ({ ...result, admitted: false, bannedFor }));
    }
    return chain(this.storage.consume(client), (result) =>
      apiKey && !result.admitted ? { ...result, bannedFor: this.bans.strike(apiKey, result) } : result,
    );
  }

  /** Charges a request before its turn: `consume` does not charge it again. */
  async consumeAhead(request: Request): Promise<void> {
    this.consumed.set(request, await this.consume(request));
  }

  /** The state of the windows and the ban. Charges nothing. */
  peek(request: Identified): MaybeAsync<RateLimitResult> {
    const bannedFor = this.bannedFor(apiKeyOf(request));
    return chain(this.storage.peek(clientOf(request, this.config)), (result) => ({ ...result, bannedFor }));
  }

  private bannedFor(apiKey: ApiKeyPrincipal | undefined): number {
    return apiKey ? this.bans.remaining(apiKey) : 0;
  }
}

/** The client that a request is counted for. */
export const clientOf = (request: Identified, { anonymousPerMinute }: Config): RateLimitClient =>
  apiKeyOf(request) ?? { id: network(request.ip), limits: { perMinute: anonymousPerMinute } };

const apiKeyOf = ({ principal }: Identified): ApiKeyPrincipal | undefined =>
  principal?.kind === 'key' ? principal : undefined;
