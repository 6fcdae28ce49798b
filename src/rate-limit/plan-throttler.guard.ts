import { type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { Request } from 'express';
import type { ApiKeyPrincipal } from '../auth/principal.js';
import { isOutsideApi } from '../http/public.decorator.js';
import { Config } from '../kernel/config/config.js';
import { isPreflight } from '../http/cors.js';
import { memoizePair } from '../kernel/memoize.js';
import { chain, type MaybeAsync } from './maybe-async.js';
import { network } from './network.js';
import type { RateLimitResult } from './rate-limit.result.js';
import { RateLimiter } from './rate-limiter.js';
import { MINUTE, PlanThrottlerStorage } from './plan-throttler.storage.js';
import { RateLimitResponder } from './rate-limit.responder.js';
import { DEFAULT, PLAN, type RouteThrottler, RouteThrottlers, SKIP } from './route-throttlers.js';
import { consumeAll, type ThrottledRequest } from './throttled-request.js';
import { UNCOUNTED, type Uncounted } from './uncounted.decorator.js';

type Handler = ReturnType<ExecutionContext['getHandler']>;

/**
 * Counts every request under `/v1`. The base class visits the throttlers of the route, which are only collected, and then
 * the plan, where all of them are decided together: a refused request is charged to none.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  private readonly hits = new WeakMap<Request, ThrottledRequest[]>();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: PlanThrottlerStorage,
    reflector: Reflector,
    private readonly routeThrottlers: RouteThrottlers,
    private readonly limiter: RateLimiter,
    private readonly responder: RateLimitResponder,
    private readonly config: Config,
  ) {
    super(options, storage, reflector);
  }

  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    this.throttlers = [...this.routeThrottlers.find(PlanThrottlerGuard), ...this.throttlers];
  }

  /**
   * A route that only its client's plan limits goes straight to the decision: 3 µs less than a visit of the throttlers
   * (docs/performance.md, "The throttler").
   */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const isDirect = this.config.fastPaths && this.hasOnlyPlan(context.getClass(), context.getHandler());
    if (!isDirect) return super.canActivate(context);
    if (isOutsideApi(context)) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const result = this.decideByPlan(request);
    this.responder.respond(request, http.getResponse(), result instanceof Promise ? await result : result);
    return true;
  }

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(isOutsideApi(context));
  }

  protected override async handleRequest(props: ThrottlerRequest): Promise<boolean> {
    const { context, throttler } = props;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (throttler.name === PLAN) {
      this.responder.respond(request, http.getResponse(), await this.decide(context, request));
    } else {
      await this.collect(request, props);
    }
    return true;
  }

  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(
      request.principal?.kind === 'key' ? String(request.principal.id) : network(request.ip),
    );
  }

  private async collect(request: Request, props: ThrottlerRequest): Promise<void> {
    const { context, limit, ttl, blockDuration, getTracker, generateKey } = props;
    const throttler = props.throttler as RouteThrottler; // every one but the plan is
    const userAgent = request.headers['user-agent'] ?? '';
    if (throttler.ignoreUserAgents?.some((pattern) => pattern.test(userAgent))) return;
    const tracker = await getTracker(request, context);
    const key = generateKey(context, tracker, throttler.name);
    const hit = { throttler, context, tracker, key, ttl, limit, blockDuration };
    this.hits.set(request, [...(this.hits.get(request) ?? []), hit]);
  }

  private decide(context: ExecutionContext, request: Request): MaybeAsync<RateLimitResult> {
    const { principal } = request;
    if (principal?.kind !== 'key') return this.decideByPlan(request); // made-up keys must cost something on each route
    const [controller, handler] = [context.getClass(), context.getHandler()];
    if (this.ofRoute(SKIP + DEFAULT, controller, handler) === true)
      return this.uncounted(request, this.hits.get(request));
    const allowance = this.ofRoute(UNCOUNTED, controller, handler) as Uncounted | undefined;
    return allowance ? this.allow(context, request, principal, allowance) : this.charge(request);
  }

  private decideByPlan(request: Request): MaybeAsync<RateLimitResult> {
    return this.isExempt(request) ? this.uncounted(request) : this.charge(request);
  }

  private readonly hasOnlyPlan = memoizePair((controller: Type, handler: Handler) => {
    const own = this.throttlers.filter(({ name }) => name !== PLAN) as RouteThrottler[]; // as `onModuleInit` found them
    return (
      !own.some(({ controllers }) => controllers.has(controller)) &&
      this.ofRoute(SKIP + DEFAULT, controller, handler) === undefined &&
      this.ofRoute(UNCOUNTED, controller, handler) === undefined
    );
  });

  private ofRoute(key: string, controller: Type, handler: Handler): unknown {
    return this.reflector.getAllAndOverride(key, [handler, controller]);
  }

  /** A client whose key could not be looked up, for it may be valid, and a CORS preflight. */
  private isExempt(request: Request): boolean {
    const { principal } = request;
    if (principal?.kind === 'key') return false;
    if (principal?.failure !== undefined) return true;
    return this.config.corsOrigins.length > 0 && isPreflight(request);
  }

  private charge(request: Request): MaybeAsync<RateLimitResult> {
    const hits = this.hits.get(request);
    return hits ? this.chargeAll(request, hits) : this.limiter.consume(request);
  }

  /** Does not charge the plan. */
  private uncounted(request: Request, hits: readonly ThrottledRequest[] = []): MaybeAsync<RateLimitResult> {
    return this.chargeAll(request, hits, { planIsFree: true });
  }

  private chargeAll(
    request: Request,
    hits: readonly ThrottledRequest[],
    { planIsFree = false } = {},
  ): MaybeAsync<RateLimitResult> {
    return chain(this.limiter.peek(request), (plan) => {
      if (!planIsFree && (!plan.admitted || plan.bannedFor)) return this.limiter.consume(request);
      return chain(consumeAll(this.storage, hits), (route) => {
        if (!route.admitted) return { ...plan, ...route, bannedFor: 0 };
        const result = planIsFree ? { ...plan, admitted: true } : this.limiter.consume(request);
        return chain(result, (charged) => ({ ...charged, throttlers: route.throttlers }));
      });
    });
  }

  /** Charges the plan when the free requests are used up. */
  private allow(
    context: ExecutionContext,
    request: Request,
    { id }: ApiKeyPrincipal,
    { perMinute }: Uncounted,
  ): MaybeAsync<RateLimitResult> {
    const key = this.generateKey(context, String(id), 'uncounted');
    const free = this.storage.consumeHit({ key, ttl: MINUTE, limit: perMinute, blockDuration: 0 });
    return chain(free, ({ admitted }) => (admitted ? this.uncounted(request) : this.charge(request)));
  }
}
