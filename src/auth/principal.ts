import { createRequestPartDecorator } from '../http/request-part.decorator.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { Limits, Plan } from './plans.js';
import type { Scope } from './scopes.js';

/** The client of a request, by its `Authorization` header. */
export type Principal = ApiKeyPrincipal | AnonymousClient;

export interface ApiKeyPrincipal {
  readonly kind: 'key';
  /** The id of the key, which rotation and a change of plan keep. */
  readonly id: Int64;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  /** `null` is all scopes, later ones included. */
  readonly scopes: readonly Scope[] | null;
  /** Unix milliseconds from which on the secret is refused; `Infinity` if it does not expire. */
  readonly endsAt: number;
  /** Unix milliseconds; the last use on record, by any process. */
  lastUsedAt: number;
  /** The last ban on record, which may be over. */
  readonly ban?: Ban;
  /** Unix milliseconds when the last ban was lifted: earlier bans no longer count. */
  readonly forgivenAt?: number;
}

export interface Ban {
  /** Unix milliseconds. */
  readonly endsAt: number;
  /** Step of the escalation; 1 for the first ban. */
  readonly level: number;
}

/** A client without a key that is known to be valid. */
interface AnonymousClient {
  readonly kind: 'anonymous';
  readonly sentKey: boolean;
  /** The look-up that the key still needs. */
  readonly lookUp?: ApiKeyLookup;
  /** Why the look-up failed: the key may be valid. */
  readonly failure?: Error;
}

/** The look-up of a key that only PostgreSQL knows. */
export interface ApiKeyLookup {
  readonly kind: 'look_up';
  /** Whether this process has found the key valid before. */
  readonly seenBefore: boolean;
  run(): Promise<ApiKeyPrincipal | undefined>;
}

/** The API key of the request, in a handler behind `ApiKeyGuard`. */
export const CurrentPrincipal = createRequestPartDecorator(({ principal }): ApiKeyPrincipal => {
  if (principal?.kind !== 'key') throw new Error('A public route has requests without a key.');
  return principal;
});

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by `BearerGuard`, the first guard under `/v1`. */
    principal?: Principal;
  }
}
