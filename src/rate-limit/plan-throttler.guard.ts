import { type ExecutionContext, Injectable } from '@nestjs/common';
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
import { isOutside } from '../http/public.decorator.js';
import { Config } from '../kernel/config/config.js';
import { isPreflight } from '../http/cors.js';
import { chain, type MaybeAsync } from './maybe-async.js';
import { network } from './network.js';
import type { Verdict } from './decision.js';
import { RateLimiter } from './rate-limiter.js';
import { MINUTE, PlanThrottlerStorage } from './plan-throttler.storage.js';
import { RateLimitResponder } from './rate-limit.responder.js';
import { DEFAULT, PLAN, type RouteThrottler, RouteThrottlers, SKIP } from './route-throttlers.js';
import { consumeAll, type ThrottledRequest } from './throttled-request.js';
import { UNCOUNTED, type Uncounted } from './uncounted.decorator.js';

/**
 * Counts every request under `/v1`. The base class goes through the throttlers of the route, which are only noted, to the
 * plan, which is the last one: there all of them are decided together, so that a refused request is charged to none.
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

  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return Promise.resolve(isOutside(context));
  }

  protected override async handleRequest(props: ThrottlerRequest): Promise<boolean> {
    const { context, throttler } = props;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (throttler.name === PLAN) {
      this.responder.respond(request, http.getResponse(), await this.decide(context, request));
    } else {
      await this.note(request, props);
    }
    return true;
  }

  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(
      request.principal?.kind === 'key' ? String(request.principal.id) : network(request.ip),
    );
  }

  private async note(request: Request, props: ThrottlerRequest): Promise<void> {
    const { context, limit, ttl, blockDuration, getTracker, generateKey } = props;
    const throttler = props.throttler as RouteThrottler; // every one but the plan is
    const userAgent = request.headers['user-agent'] ?? '';
    if (throttler.ignoreUserAgents?.some((pattern) => pattern.test(userAgent))) return;
    const tracker = await getTracker(request, context);
    const key = generateKey(context, tracker, throttler.name);
    const hit = { throttler, context, tracker, key, ttl, limit, blockDuration };
    this.hits.set(request, [...(this.hits.get(request) ?? []), hit]);
  }

  private decide(context: ExecutionContext, request: Request): MaybeAsync<Verdict> {
    const { principal } = request;
    if (principal?.kind !== 'key') {
      // No route is free without a valid key, or made-up keys would cost nothing there.
      return this.isExempt(request) ? this.uncounted(request) : this.charge(request);
    }
    if (this.ofRoute(SKIP + DEFAULT, context) === true)
      return this.uncounted(request, this.hits.get(request));
    const allowance = this.ofRoute(UNCOUNTED, context) as Uncounted | undefined;
    return allowance ? this.allow(context, request, principal, allowance) : this.charge(request);
  }

  private ofRoute(key: string | symbol, context: ExecutionContext): unknown {
    return this.reflector.getAllAndOverride(key, [context.getHandler(), context.getClass()]);
  }

  /** A client whose key could not be peeked up, for it may be valid, and a browser that asks for permission. */
  private isExempt(request: Request): boolean {
    const { principal } = request;
    if (principal?.kind === 'anonymous' && principal.failure !== undefined) return true;
    return this.config.corsOrigins.length > 0 && isPreflight(request);
  }

  private charge(request: Request): MaybeAsync<Verdict> {
    const hits = this.hits.get(request);
    return hits ? this.chargeAll(request, hits) : this.limiter.consume(request);
  }

  /** Shows the state of the plan's windows without charging them. */
  private uncounted(request: Request, hits: readonly ThrottledRequest[] = []): MaybeAsync<Verdict> {
    return this.chargeAll(request, hits, { planIsFree: true });
  }

  private chargeAll(
    request: Request,
    hits: readonly ThrottledRequest[],
    { planIsFree = false } = {},
  ): MaybeAsync<Verdict> {
    return chain(this.limiter.peek(request), (plan) => {
      if (!planIsFree && (!plan.admitted || plan.bannedFor > 0)) return this.limiter.consume(request);
      return chain(consumeAll(this.storage, hits), ({ admitted, windows, message }) => {
        if (!admitted) return { ...plan, admitted, bannedFor: 0, throttlers: windows, message };
        const verdict = planIsFree ? { ...plan, admitted } : this.limiter.consume(request);
        return chain(verdict, (decided) => ({ ...decided, throttlers: windows }));
      });
    });
  }

  /** Free requests first, then the plan. */
  private allow(
    context: ExecutionContext,
    request: Request,
    { id }: ApiKeyPrincipal,
    { perMinute }: Uncounted,
  ): MaybeAsync<Verdict> {
    const key = this.generateKey(context, String(id), 'uncounted');
    const free = this.storage.consumeHit({ key, ttl: MINUTE, limit: perMinute, blockDuration: 0 });
    return chain(free, ({ admitted }) => (admitted ? this.uncounted(request) : this.charge(request)));
  }
}
