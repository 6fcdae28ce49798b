import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { HttpConfig } from '../http/http.config.js';
import { isPreflight } from '../http/middleware/cors.js';
import { isOutsideApi, isPublic } from '../http/public.decorator.js';
import { Bans } from './bans/bans.js';
import { PlanThrottlerStorage } from './plan-throttler.storage.js';
import { RateLimitConfig } from './rate-limit.config.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
import { writeRateLimitHeaders } from './rate-limit.headers.js';
import { type RateLimitOutcome, RateLimitMetrics } from './rate-limit.metrics.js';
import {
  MINUTE,
  quotaOf,
  type RateLimitRecord,
  type RateLimitWindow,
  secondsUntilRoom,
  wholeSeconds,
} from './quota.js';

const FREE_ALLOWANCE = 'rate-limit:free-allowance';

interface Allowance {
  /** Free requests of one key per minute. Further ones are charged to its plan. */
  readonly perMinute: number;
}

/** Makes a route free for valid keys, up to a number of requests per minute. Anonymous clients are counted. */
export const FreeAllowance = (allowance: Allowance): MethodDecorator =>
  SetMetadata(FREE_ALLOWANCE, allowance);

/** The decision about a request. */
export interface RateLimitDecision {
  readonly outcome: RateLimitOutcome;
  readonly windows: readonly RateLimitWindow[];
  /** Milliseconds until the ban of the key ends; 0 without one. */
  readonly bannedFor: number;
  /** Of a refused request: seconds until one is admitted. */
  readonly retryAfter: number;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by `PlanThrottlerGuard`. */
    rateLimit?: RateLimitDecision;
  }
}

const ERRORS = {
  minute_exhausted: RateLimitExceeded,
  day_exhausted: DailyQuotaExceeded,
  banned: ApiKeyBanned,
} as const;

/**
 * The `default` throttler applies the plan of each request's client. Its headers are off, because `PlanThrottlerGuard`
 * writes those of the contract.
 */
export const planThrottler = (
  storage: PlanThrottlerStorage,
  config: RateLimitConfig,
): ThrottlerModuleOptions => ({
  throttlers: [
    {
      ttl: MINUTE,
      limit: (context) => quotaOf(context.switchToHttp().getRequest<Request>(), config).limit,
      blockDuration: 0, // until the window ends
    },
  ],
  setHeaders: false,
  storage,
});

/** Counts every request under `/v1` against its plan, the throttler `default`, and sets the headers of its decision. */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: PlanThrottlerStorage,
    reflector: Reflector,
    private readonly bans: Bans,
    private readonly metrics: RateLimitMetrics,
    private readonly config: RateLimitConfig,
    private readonly http: HttpConfig,
  ) {
    super(options, storage, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const request = context.switchToHttp().getRequest<Request>();
    if (request.rateLimit || isOutsideApi(context)) return true;
    // `@SkipThrottle()` applies to valid keys only. Otherwise, guessing keys would be free on the route.
    const isFree = request.principal?.kind === 'key';
    return this.answer(context, isFree ? await this.free(request) : await this.decide(context));
  }

  /** Called for the plan with the values of the route's `@Throttle()`, if it has one. */
  protected override async handleRequest(props: ThrottlerRequest): Promise<boolean> {
    const { context } = props;
    const request = context.switchToHttp().getRequest<Request>();
    if (!this.isOfRoute(props, request)) {
      return isOutsideApi(context) || this.answer(context, await this.decide(context));
    }
    const record = await this.countForRoute(props, request);
    if (isPublic(context) && request.principal?.kind !== 'key') {
      return this.answer(context, decisionOf(record)); // it replaces the limit of the address
    }
    if (!record.isBlocked) return this.answer(context, await this.decide(context));
    const { windows, bannedFor } = await this.free(request); // the plan is not charged
    return this.answer(context, refusal(windows, bannedFor, record.timeToBlockExpire));
  }

  /** Identifies clients for routes with their own limit. */
  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(quotaOf(request, this.config).key);
  }

  private async countForRoute(props: ThrottlerRequest, request: Request): Promise<RateLimitRecord> {
    const { context, ttl, limit, blockDuration, throttler, getTracker, generateKey } = props;
    const name = throttler.name ?? '';
    const key = generateKey(context, await getTracker(request, context), name);
    return this.storage.increment(key, ttl, limit, blockDuration, name);
  }

  /** Whether `@Throttle()` has changed any option of the plan's throttler. */
  private isOfRoute(props: ThrottlerRequest, request: Request): boolean {
    const { limit, ttl, blockDuration, getTracker, generateKey } = props;
    return (
      limit !== quotaOf(request, this.config).limit ||
      ttl !== MINUTE ||
      blockDuration !== 0 ||
      getTracker !== this.commonOptions.getTracker ||
      generateKey !== this.commonOptions.generateKey
    );
  }

  /** Decides ban, minute and day together. */
  private async decide(context: ExecutionContext): Promise<RateLimitDecision> {
    const request = context.switchToHttp().getRequest<Request>();
    const { principal } = request;
    if (principal?.kind === 'anonymous' && principal.key === 'refused') {
      const { windows } = await this.free(request);
      return refusal(windows, 0, Math.max(wholeSeconds(principal.wait ?? 0), secondsUntilRoom(windows)));
    }
    if (await this.isExempt(context, request)) return this.free(request);
    const quota = quotaOf(request, this.config);
    const key = principal?.kind === 'key' ? principal : undefined;
    const bannedFor = key ? this.bans.remaining(key) : 0;
    if (bannedFor > 0) return refusal((await this.storage.peek(quota, true)).windows, bannedFor);
    const record = await this.storage.increment(
      quota.key,
      quota.ttl,
      quota.limit,
      0,
      quota.name,
      quota.perDay,
    );
    return decisionOf(record, key && record.isBlocked ? this.bans.strike(key, record.windows) : 0);
  }

  /** The state of the windows and the ban. Charges nothing. */
  private async free(request: Request): Promise<RateLimitDecision> {
    const { principal } = request;
    const bannedFor = principal?.kind === 'key' ? this.bans.remaining(principal) : 0;
    const { windows } = await this.storage.peek(quotaOf(request, this.config), bannedFor > 0);
    return { outcome: 'admitted', windows, bannedFor, retryAfter: 0 };
  }

  /**
   * Exempts free requests of a key, CORS preflights, and clients whose key could not be looked up, because it may be
   * valid.
   */
  private async isExempt(context: ExecutionContext, request: Request): Promise<boolean> {
    const { principal } = request;
    if (principal?.kind !== 'key')
      return principal?.key === 'unavailable' || (this.http.corsOrigins.length > 0 && isPreflight(request));
    const allowance = this.reflector.get<Allowance | undefined>(FREE_ALLOWANCE, context.getHandler());
    if (!allowance) return false;
    const key = this.generateKey(context, String(principal.id), FREE_ALLOWANCE);
    return !(await this.storage.increment(key, MINUTE, allowance.perMinute, 0, FREE_ALLOWANCE)).isBlocked;
  }

  /** @throws RateLimitExceeded, DailyQuotaExceeded or ApiKeyBanned for a refused request */
  private answer(context: ExecutionContext, decision: RateLimitDecision): true {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const { outcome, windows, retryAfter } = (request.rateLimit = decision);
    const { principal } = request;
    this.metrics.decided(principal?.kind === 'key' ? principal.plan : 'anonymous', outcome);
    writeRateLimitHeaders(response, windows);
    if (outcome === 'admitted') return true;
    response.setHeader('Retry-After', retryAfter);
    throw new ERRORS[outcome](retryAfter);
  }
}

function decisionOf(
  { isBlocked, windows, timeToBlockExpire }: RateLimitRecord,
  bannedFor = 0,
): RateLimitDecision {
  if (isBlocked) return refusal(windows, bannedFor, timeToBlockExpire);
  return { outcome: 'admitted', windows, bannedFor, retryAfter: 0 };
}

/** @param wait seconds until the request is admitted, if its windows and the ban do not last longer */
function refusal(windows: readonly RateLimitWindow[], bannedFor: number, wait = 1): RateLimitDecision {
  const dayIsOver = windows.some(({ name, remaining }) => name === 'day' && remaining === 0);
  const outcome = bannedFor > 0 ? 'banned' : dayIsOver ? 'day_exhausted' : 'minute_exhausted';
  const retryAfter = Math.max(wait, wholeSeconds(bannedFor), secondsUntilRoom(windows));
  return { outcome, windows, bannedFor, retryAfter };
}
