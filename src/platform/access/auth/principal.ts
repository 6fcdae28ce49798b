import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { requestParameter } from '../../http/core/request-parameter.js';
import type { Int64 } from '../../kernel/json/int64.js';
import type { Limits, Plan } from '../plans/plans.js';
import type { Ban } from '../keys/ban.js';
import type { Scope } from '../keys/scopes.js';

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
  readonly banLiftedAt?: number;
}

/** A client without a valid key. */
export interface AnonymousClient {
  readonly kind: 'anonymous';
  /** `unavailable`: the key could not be looked up, so it may be valid. */
  readonly key: 'missing' | 'invalid' | 'unavailable';
}

function principalOf(context: ExecutionContext): ApiKeyPrincipal {
  const { principal } = context.switchToHttp().getRequest<Request>();
  if (principal?.kind !== 'key')
    throw new Error('The request has no API key. Do not use this on a @Public() route.');
  return principal;
}

/** The API key of the request, in a handler behind `AccessGuard`. */
export const CurrentPrincipal = requestParameter(principalOf);

/**
 * What the plan of the request's API key allows:
 * `@OfPlan({ basic: 10, gold: 100 }) max: number`.
 */
export const OfPlan = <T>(values: Readonly<Record<Plan, T>>): ParameterDecorator =>
  requestParameter((context) => values[planOf(context)])();

/** The plan of the request's API key, in a guard or an interceptor of a route that needs one. */
export const planOf = (context: ExecutionContext): Plan => principalOf(context).plan;

declare module 'express-serve-static-core' {
  interface Request {
    /** The client. `BearerGuard`, the first guard under `/v1`, sets it. */
    principal?: Principal;
  }
}
