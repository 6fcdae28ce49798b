import type { Int64 } from '../kernel/json/int64.js';
import type { Limits, Plan } from './plans.js';

/** Who sent a request, as far as its `Authorization` header tells. */
export type Principal = ApiKeyPrincipal | AnonymousClient;

export interface ApiKeyPrincipal {
  readonly kind: 'key';
  /** The key's id, which rotation and a change of plan keep. */
  readonly id: Int64;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  /** What it may do, as bits: see `scopes.ts`. */
  readonly scopes: number;
  /** Unix milliseconds; what was sent as the key is refused from then on. `Infinity` where there is no end. */
  readonly endsAt: number;
  /** Unix milliseconds; the last time that was noted, here or elsewhere. */
  lastUsedAt: number;
  /** The last ban on record, which may be over. */
  readonly ban?: Ban;
  /** Unix milliseconds when the last ban was lifted: none that began before counts any more. */
  readonly forgivenAt?: number;
}

export interface Ban {
  /** Unix milliseconds. */
  readonly endsAt: number;
  /** How many bans led to its length; 1 for the first. */
  readonly level: number;
}

/** A caller without a valid key, as far as is known. */
export interface AnonymousClient {
  readonly kind: 'anonymous';
  /** Whether something was sent as a key. */
  readonly sentKey: boolean;
  /** The look-up that its key needs and that has not been made. */
  readonly lookUp?: ApiKeyLookup;
  /** Why the look-up failed: the key may be valid. */
  readonly failure?: Error;
}

/** A key that only PostgreSQL can tell about. */
export interface ApiKeyLookup {
  readonly kind: 'look_up';
  /** Whether this process has found the key valid before. */
  readonly seenBefore: boolean;
  run(): Promise<ApiKeyPrincipal | undefined>;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by `BearerGuard`, the first step of every request under `/v1`. */
    principal?: Principal;
  }
}
