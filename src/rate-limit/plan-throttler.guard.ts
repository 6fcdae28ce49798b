import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { HttpConfig } from '../http/http.config.js';
import { isPreflight } from '../http/middleware/cors.js';
import { isOutsideApi } from '../http/route/public.decorator.js';
import { RateLimitConfig } from './rate-limit.config.js';
import { MINUTE, type RateLimitResult } from './rate-limit.result.js';
import { PlanThrottlerStorage } from './plan-throttler.storage.js';
import { RateLimitResponder } from './rate-limit.responder.js';
import { network, RateLimiter } from './rate-limiter.js';

const FREE_ALLOWANCE = 'rate-limit:free-allowance';

interface Allowance {
  /** Free requests of one key per minute. Further ones are charged to its plan. */
  readonly perMinute: number;
}

/** Makes a route free for valid keys, up to a number of requests per minute. Anonymous clients are counted. */
export const FreeAllowance = (allowance: Allowance): MethodDecorator =>
  SetMetadata(FREE_ALLOWANCE, allowance);

/** The limit per minute of the request's plan, or of its address. */
export const planLimit = ({ principal }: Request, { anonymousPerMinute }: RateLimitConfig): number =>
  principal?.kind === 'key' ? principal.limits.perMinute : anonymousPerMinute;

/**
 * Counts every request under `/v1`. The `default` throttler is the client's plan. If `@Throttle()` sets other values on
 * a route, they are an additional limit, which the base class counts first.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: PlanThrottlerStorage,
    reflector: Reflector,
    private readonly limiter: RateLimiter,
    private readonly responder: RateLimitResponder,
    private readonly config: RateLimitConfig,
    private readonly http: HttpConfig,
  ) {
    super(options, storage, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isOutsideApi(context)) return true;
    await super.canActivate(context);
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    if (this.responder.hasResponded(response)) return true;
    // `@SkipThrottle()` applies to valid keys only. Otherwise, guessing keys would be free on the route.
    const isFree = request.principal?.kind === 'key';
    this.responder.respond(
      request,
      response,
      isFree ? await this.free(request) : await this.decide(context, request),
    );
    return true;
  }

  protected override async handleRequest(props: ThrottlerRequest): Promise<boolean> {
    const { context } = props;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (this.isOfRoute(props, request)) await super.handleRequest(props);
    this.responder.respond(request, http.getResponse(), await this.decide(context, request));
    return true;
  }

  /** Identifies clients for routes with their own limit. */
  protected override getTracker(request: Request): Promise<string> {
    const { principal, ip } = request;
    return Promise.resolve(principal?.kind === 'key' ? String(principal.id) : network(ip));
  }

  /** The route's limit refuses the request, so the plan is not charged. */
  protected override async throwThrottlingException(
    context: ExecutionContext,
    { timeToBlockExpire }: ThrottlerLimitDetail,
  ): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    this.responder.respond(request, http.getResponse(), await this.limiter.peek(request), timeToBlockExpire);
  }

  /** Whether `@Throttle()` has changed any option of the plan's throttler. */
  private isOfRoute(props: ThrottlerRequest, request: Request): boolean {
    const { limit, ttl, blockDuration, getTracker, generateKey } = props;
    return (
      limit !== planLimit(request, this.config) ||
      ttl !== MINUTE ||
      blockDuration !== 0 ||
      getTracker !== this.commonOptions.getTracker ||
      generateKey !== this.commonOptions.generateKey
    );
  }

  private async decide(context: ExecutionContext, request: Request): Promise<RateLimitResult> {
    return (await this.isExempt(context, request)) ? this.free(request) : this.limiter.consume(request);
  }

  /** Charges nothing. */
  private async free(request: Request): Promise<RateLimitResult> {
    return { ...(await this.limiter.peek(request)), admitted: true };
  }

  /**
   * Exempts free requests of a key, CORS preflights, and clients whose key could not be looked up, because it may be
   * valid.
   */
  private async isExempt(context: ExecutionContext, request: Request): Promise<boolean> {
    const { principal } = request;
    if (principal?.kind !== 'key')
      return principal?.failure !== undefined || (this.http.corsOrigins.length > 0 && isPreflight(request));
    const allowance = this.reflector.get<Allowance | undefined>(FREE_ALLOWANCE, context.getHandler());
    if (!allowance) return false;
    const key = this.generateKey(context, String(principal.id), FREE_ALLOWANCE);
    return !(await this.storage.increment(key, MINUTE, allowance.perMinute, 0)).isBlocked;
  }
}
