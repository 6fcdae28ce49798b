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
import type { Request, Response } from 'express';
import { Clock } from '../kernel/clock/clock.js';
import { network } from './network.js';
import { chain, Quota, type Verdict } from './quota.js';
import { writeRateLimitHeaders } from './rate-limit.headers.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';
import { outcomeOf, refusalOf } from './refusal.js';
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
    private readonly clock: Clock,
    private readonly metrics: RateLimitMetrics,
  ) {
    super(options, storage, reflector);
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const passed = chain(this.decide(context, request), (verdict) => {
      this.metrics.decided(planOf(request), outcomeOf(verdict));
      this.answer(http.getResponse(), verdict);
      return true;
    });
    return passed as Promise<boolean>; // all that the base class allows; Nest goes on at once after a plain `true`
  }

  private decide(context: ExecutionContext, request: Request): Verdict | Promise<Verdict> {
    const { skipped, limited } = routeLimitOf(context);
    if (skipped || isPreflight(request)) return this.uncounted(request);
    return limited ? this.limitedByRoute(context, request) : this.quota.take(request);
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
    });
    return !hit.isBlocked;
  }

  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(request.caller?.kind === 'key' ? String(request.caller.id) : network(request.ip));
  }

  private answer(response: Response, verdict: Verdict): void {
    writeRateLimitHeaders(response, verdict, this.clock.now());
    const refusal = refusalOf(verdict);
    if (!refusal) return;
    response.setHeader('Retry-After', refusal.retryAfter);
    throw refusal.error;
  }
}

const planOf = ({ caller }: Request): string => (caller?.kind === 'key' ? caller.plan : 'anonymous');

/** A browser's question before a cross-origin call: sent without the key, so it must not use up the address's count. */
function isPreflight({ method, headers }: Request): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
