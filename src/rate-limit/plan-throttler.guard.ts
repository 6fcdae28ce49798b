import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { Request } from 'express';
import { Clock } from '../kernel/clock/clock.js';
import { minutes } from '../kernel/clock/duration.js';
import { Config } from '../kernel/config/config.js';
import { isPreflight } from './anonymous/preflight.js';
import { network } from './network.js';
import { chain, Quota, type Verdict } from './quota.js';
import { isOutside } from '../http/public.decorator.js';
import { RateLimitResponder } from './rate-limit.responder.js';
import { routeLimitOf } from './route-limit.js';
import type { QuotaWindow } from './decision.js';

/** Counts every request under `/v1` against its caller's plan, and against its route's own limit if it has one. */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  /** The window of the route's own limit, for as long as its request is being decided. */
  private readonly routeWindows = new WeakMap<Request, QuotaWindow>();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly quota: Quota,
    private readonly responder: RateLimitResponder,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {
    super(options, storage, reflector);
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    if (isOutside(context)) return Promise.resolve(true);
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const passed = chain(this.decide(context, request), (verdict) => {
      this.responder.respond(request, http.getResponse(), verdict);
      return true;
    });
    return passed as Promise<boolean>; // all that the base class allows; Nest goes on at once after a plain `true`
  }

  private decide(context: ExecutionContext, request: Request): Verdict | Promise<Verdict> {
    const { caller } = request;
    if (caller?.kind !== 'key') return this.decideAnonymous(context, request);
    const { skipped, limited, uncounted } = routeLimitOf(context);
    if (skipped) return this.uncounted(request);
    if (uncounted) return this.allowance(context, request, uncounted.perMinute);
    return limited ? this.limitedByRoute(context, request) : this.quota.take(request);
  }

  /** No route is free without a valid key, or made-up keys would cost nothing there. */
  private decideAnonymous(context: ExecutionContext, request: Request): Verdict | Promise<Verdict> {
    const { caller } = request;
    const failed = caller?.kind === 'anonymous' && caller.failure !== undefined; // its key may be valid
    const preflight = this.config.corsOrigins.length > 0 && isPreflight(request);
    if (failed || preflight) return this.uncounted(request);
    return routeLimitOf(context).limited ? this.limitedByRoute(context, request) : this.quota.take(request);
  }

  /** Free requests first, then the plan. */
  private async allowance(context: ExecutionContext, request: Request, perMinute: number): Promise<Verdict> {
    const key = this.generateKey(context, await this.getTracker(request), 'uncounted');
    const { isBlocked } = await this.storageService.increment(key, minutes(1), perMinute, 0, 'uncounted');
    return isBlocked ? this.quota.take(request) : this.uncounted(request);
  }

  /** Shows the state of the quotas and charges nothing. */
  private async uncounted(request: Request): Promise<Verdict> {
    return { ...(await this.quota.look(request)), admitted: true };
  }

  /** The plan comes first, so that a request it refuses does not use up the route's window. */
  private async limitedByRoute(context: ExecutionContext, request: Request): Promise<Verdict> {
    const plan = await this.quota.look(request);
    if (!plan.admitted || plan.bannedFor > 0) return this.quota.take(request);
    const admitted = await super.canActivate(context);
    const verdict = admitted ? await this.quota.take(request) : { ...plan, admitted };
    const route = this.routeWindows.get(request);
    return route ? { ...verdict, windows: [...verdict.windows, route] } : verdict;
  }

  /** Called by `super.canActivate` with the limit that `@Throttle()` set. */
  protected override async handleRequest(props: ThrottlerRequest): Promise<boolean> {
    const { context, limit, ttl, blockDuration, throttler, getTracker, generateKey } = props;
    const request = context.switchToHttp().getRequest<Request>();
    const name = throttler.name ?? 'default';
    const key = generateKey(context, await getTracker(request, context), name);
    const hit = await this.storageService.increment(key, ttl, limit, blockDuration, name);
    this.routeWindows.set(request, {
      name: 'route',
      length: Math.ceil(ttl / 1000),
      limit,
      remaining: Math.max(0, limit - hit.totalHits),
      resetIn: hit.timeToExpire * 1000,
      resetAt: this.clock.now() + hit.timeToExpire * 1000,
    });
    return !hit.isBlocked;
  }

  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(request.caller?.kind === 'key' ? String(request.caller.id) : network(request.ip));
  }
}
