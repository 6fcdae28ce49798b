import type { Request } from 'express';
import { createRequestPartDecorator } from '../http/route/parameters.js';
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
  /** Why the look-up failed: the key may be valid. */
  readonly failure?: Error;
}

/** The API key of the request, in a handler behind `ApiKeyGuard`. */
export const CurrentPrincipal = createRequestPartDecorator(({ principal }): ApiKeyPrincipal => {
  if (principal?.kind !== 'key') throw new Error('A public route has requests without a key.');
  return principal;
});

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(.+)$/i;

/** The secret that the request was sent with. */
export const secretOf = ({ headers }: Request): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];

/** The secret that the request was sent with, in a handler behind `ApiKeyGuard`. */
export const SentSecret = createRequestPartDecorator(secretOf);

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by `BearerGuard`, the first guard under `/v1`. */
    principal?: Principal;
  }
}
