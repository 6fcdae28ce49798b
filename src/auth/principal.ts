import type { Request } from 'express';
import { createRequestPartDecorator } from '../http/route/parameters.js';
import type { Int64 } from '../kernel/json/int64.js';
import type { Limits, Plan } from './plans.js';
import type { Scope } from './scopes.js';

/** The client of a request, identified by its `Authorization` header. */
export type Principal = ApiKeyPrincipal | AnonymousClient;

export interface ApiKeyPrincipal {
  readonly kind: 'key';
  /** The id of the key. It stays the same after a rotation or a change of plan. */
  readonly id: Int64;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  /** `null` means all scopes, including future ones. */
  readonly scopes: readonly Scope[] | null;
  /** Unix milliseconds at which the secret becomes invalid; `Infinity` if it does not expire. */
  readonly endsAt: number;
  /** Unix milliseconds of the last recorded use, in any process. */
  lastUsedAt: number;
  /** The last recorded ban. It may be over. */
  readonly ban?: Ban;
  /** Unix milliseconds at which the last ban was lifted. Earlier bans no longer count. */
  readonly forgivenAt?: number;
}

export interface Ban {
  /** Unix milliseconds. */
  readonly endsAt: number;
  /** Level of escalation; 1 for the first ban. */
  readonly level: number;
}

/** A client without a key, with an invalid one, or with one that could not be looked up. */
interface AnonymousClient {
  readonly kind: 'anonymous';
  readonly sentKey: boolean;
  /** The error of the look-up. The key may be valid. */
  readonly failure?: Error;
}

/** The API key of the request, in a handler behind `ApiKeyGuard`. */
export const CurrentPrincipal = createRequestPartDecorator(({ principal }): ApiKeyPrincipal => {
  if (principal?.kind !== 'key')
    throw new Error('The request has no API key. Do not use this on a @Public() route.');
  return principal;
});

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
const BEARER = /^Bearer +(.+)$/i;

/** The bearer token of a request. */
export const secretOf = ({ headers }: Request): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];

/** The secret of the request's API key, in a handler behind `ApiKeyGuard`. */
export const SentSecret = createRequestPartDecorator(secretOf);

declare module 'express-serve-static-core' {
  interface Request {
    /** The client. `BearerGuard`, the first guard under `/v1`, sets it. */
    principal?: Principal;
  }
}
