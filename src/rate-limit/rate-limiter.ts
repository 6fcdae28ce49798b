import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { ApiKeyPrincipal } from '../auth/principal.js';
import { Config } from '../kernel/config/config.js';
import { Bans } from './bans/bans.js';
import type { Decision, Verdict } from './decision.js';
import { chain, type MaybeAsync } from './maybe-async.js';
import { network } from './network.js';
import { PlanThrottlerStorage, type RateLimitClient } from './plan-throttler.storage.js';

/** What tells whom a request is counted for. */
type Whose = Pick<Request, 'ip'> & Partial<Pick<Request, 'principal'>>;

/** Ban, minute and day, decided together: a key principal by its key, everyone else by network address. */
@Injectable()
export class RateLimiter {
  /** What `consumeAhead` has charged. */
  private readonly charged = new WeakMap<object, Verdict>();

  constructor(
    private readonly storage: PlanThrottlerStorage,
    private readonly bans: Bans,
    private readonly config: Config,
  ) {}

  /** Decides about a request and charges it when it is admitted. */
  consume(request: Request): MaybeAsync<Verdict> {
    const charged = this.charged.get(request);
    if (charged) return charged;
    const principal = apiKeyOf(request);
    const client = clientOf(request, this.config);
    const bannedFor = principal ? this.bans.remaining(principal) : 0;
    if (bannedFor > 0) return chain(this.storage.peek(client), (decision) => refuse(decision, bannedFor));
    return chain(this.storage.consume(client), (decision) => {
      const caused = principal && !decision.admitted ? this.bans.strike(principal, decision) : 0;
      return verdict(decision, caused);
    });
  }

  /** Charges a request before its turn: `consume` does not charge it again. */
  async consumeAhead(request: Request): Promise<void> {
    this.charged.set(request, await this.consume(request));
  }

  /** How things stand, without charging anything. */
  peek(request: Whose): MaybeAsync<Verdict> {
    const principal = apiKeyOf(request);
    const bannedFor = principal ? this.bans.remaining(principal) : 0;
    return chain(this.storage.peek(clientOf(request, this.config)), (decision) =>
      verdict(decision, bannedFor),
    );
  }
}

/** For whom a request is counted, and within which limits. */
export const clientOf = (request: Whose, { anonymousPerMinute }: Config): RateLimitClient =>
  apiKeyOf(request) ?? { id: network(request.ip), limits: { perMinute: anonymousPerMinute } };

const apiKeyOf = ({ principal }: Whose): ApiKeyPrincipal | undefined =>
  principal?.kind === 'key' ? principal : undefined;

const verdict = ({ admitted, windows }: Decision, bannedFor: number): Verdict => ({
  admitted,
  windows,
  bannedFor,
});
const refuse = ({ windows }: Decision, bannedFor: number): Verdict => ({
  admitted: false,
  windows,
  bannedFor,
});
