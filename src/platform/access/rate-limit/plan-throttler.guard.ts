// rate-limit/ counts requests exactly, refuses those over a limit, and bounds those at work. Who the client
// is is in `auth`.

import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { DiscoveryService, Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  SkipThrottle,
  Throttle,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import type { SlotSource } from '../../http/core/request-state.js';
import { type Handler, handlersOf } from '../../http/core/handlers.js';
import { HttpConfig } from '../../http/core/http.config.js';
import { isPreflight } from '../../http/core/middleware/cors.js';
import { GUARDS_METADATA } from '../../http/core/nest-metadata.js';
import { perHandler } from '../../http/core/per-handler.js';
import { isOutsideApi, isPublicHandler } from '../../http/core/public.decorator.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import type { ApiKeyPrincipal } from '../auth/principal.js';
import { Bans } from './bans/bans.js';
import { ClientSlots, skipsConcurrencyLimit } from './client-slots.js';
import { type MaybeAsync, PlanThrottlerStorage } from './plan-throttler.storage.js';
import { RateLimitConfig } from './rate-limit.config.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
import { writeRateLimitHeaders } from './rate-limit.headers.js';
import { type RateLimitOutcome, RateLimitMetrics } from './rate-limit.metrics.js';
import {
  type QuotaResult,
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

/**
 * Makes a route free for valid keys, up to a number of requests per minute. Anonymous clients are counted.
 */
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
 * The `default` throttler applies the plan of each request's client. Its headers are off, because
 * `PlanThrottlerGuard` writes those of the contract.
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

/** The metadata of `@Throttle()` and `@SkipThrottle()`, learned from a class that has both. */
const throttleMetadata = (decorate: ClassDecorator): unknown[] => {
  class Decorated {}
  decorate(Decorated);
  return Reflect.getOwnMetadataKeys(Decorated);
};
const LIMIT_METADATA = throttleMetadata(Throttle({ default: { limit: 1, ttl: 1 } }));
const SKIP_METADATA = throttleMetadata(SkipThrottle());
/** The name of the throttler follows. */
const METADATA_PREFIXES = [...LIMIT_METADATA, ...SKIP_METADATA].map((key) =>
  String(key).replace(/default$/, ''),
);

/** A throttler that a handler or its class gives a limit or skips, and that no guard there applies. */
function unknownThrottler({ controller, handler }: Handler): string | undefined {
  const targets = [handler, controller];
  const guards = targets.flatMap(
    (target) => (Reflect.getMetadata(GUARDS_METADATA, target) ?? []) as unknown[],
  );
  if (guards.some(isThrottlerGuard)) return undefined;
  const keys = targets.flatMap(metadataKeys).map(String);
  const names = METADATA_PREFIXES.flatMap((prefix) =>
    keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
  );
  return names.find((name) => name !== 'default');
}

const metadataKeys = (target: object): unknown[] => Reflect.getMetadataKeys(target);

/** A guard is given as a class or as an object. */
const isThrottlerGuard = (guard: unknown): boolean =>
  guard === ThrottlerGuard ||
  (typeof guard === 'function' ? (guard.prototype as unknown) : guard) instanceof ThrottlerGuard;

const rulesOf = perHandler((handler, controller) => {
  const has = (keys: readonly unknown[]) =>
    keys.some((key) => [handler, controller].some((target) => Reflect.hasMetadata(key, target)));
  const hasOwnLimit = has(LIMIT_METADATA);
  return {
    hasOwnLimit,
    /** Only such a route needs the stock guard. */
    isDecorated: hasOwnLimit || has(SKIP_METADATA),
    isPublic: isPublicHandler(handler, controller),
    allowance: Reflect.getMetadata(FREE_ALLOWANCE, handler) as Allowance | undefined,
    hasSlots: !skipsConcurrencyLimit(handler, controller),
  };
});

/**
 * Counts every request under `/v1` against its plan, the throttler `default`, and sets the headers of its
 * decision. An admitted request takes a slot of its client before its body is parsed.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard implements SlotSource {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: PlanThrottlerStorage,
    reflector: Reflector,
    private readonly bans: Bans,
    private readonly metrics: RateLimitMetrics,
    private readonly config: RateLimitConfig,
    private readonly http: HttpConfig,
    private readonly slots: ClientSlots,
    private readonly discovery: DiscoveryService,
  ) {
    super(options, storage, reflector);
  }

  /** @throws StartupError for a limit of a throttler that the route does not have: it would limit nothing */
  override async onModuleInit(): Promise<void> {
    for (const handler of this.hasOtherGuard() ? [] : handlersOf(this.discovery)) {
      const unknown = unknownThrottler(handler);
      if (unknown !== undefined)
        throw new StartupError(
          `${handler.controller.name}.${handler.name} names the throttler ${JSON.stringify(unknown)}, which it does not have. ` +
            'Name it "default", or add @UseGuards(ThrottlerGuard) for a throttler of the module.',
        );
    }
    await super.onModuleInit();
  }

  /** Whether a module has a global guard of its own, whose throttlers apply to every route. */
  private hasOtherGuard(): boolean {
    return this.discovery
      .getProviders()
      .some(
        ({ instance }) => instance instanceof ThrottlerGuard && !(instance instanceof PlanThrottlerGuard),
      );
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const { isDecorated, hasSlots } = rulesOf(context);
    if (isDecorated) await super.canActivate(context);
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (isOutsideApi(context)) {
      if (!hasSlots) request.slot?.release();
      return true;
    }
    // Otherwise handleRequest() has decided already.
    if (!request.rateLimit) {
      // `@SkipThrottle()` applies to valid keys only. Otherwise, guessing keys would be free on the route.
      const isFree = isDecorated && request.principal?.kind === 'key';
      const decision = isFree ? this.peek(request) : this.decide(context, request);
      this.answer(context, decision instanceof Promise ? await decision : decision);
    }
    if (hasSlots) request.slotSource = this;
    return true;
  }

  /** @throws ServiceUnavailable */
  takeSlot(request: Request, response: Response): true | Promise<true> {
    return this.slots.take(request, response, quotaOf(request, this.config).id);
  }

  /** Called for the plan with the values of the route's `@Throttle()`, if it has one. */
  protected override async handleRequest(props: ThrottlerRequest): Promise<boolean> {
    const { context } = props;
    const request = context.switchToHttp().getRequest<Request>();
    const { hasOwnLimit, isPublic } = rulesOf(context);
    if (!hasOwnLimit)
      return isOutsideApi(context) || this.answer(context, await this.decide(context, request));
    const record = await this.countForRoute(props, request);
    if (isPublic && request.principal?.kind !== 'key') {
      const { windows, isBlocked, timeToBlockExpire } = record; // it replaces the limit of the address
      return this.answer(context, isBlocked ? refusal(windows, 0, timeToBlockExpire) : admission(windows));
    }
    if (!record.isBlocked) return this.answer(context, await this.decide(context, request));
    const { windows, bannedFor } = await this.peek(request); // the plan is not charged
    return this.answer(context, refusal(windows, bannedFor, record.timeToBlockExpire));
  }

  /** Identifies clients for routes with their own limit. */
  protected override getTracker(request: Request): Promise<string> {
    return Promise.resolve(quotaOf(request, this.config).id);
  }

  private async countForRoute(props: ThrottlerRequest, request: Request): Promise<RateLimitRecord> {
    const { context, ttl, limit, blockDuration, throttler, getTracker, generateKey } = props;
    const id = generateKey(context, await getTracker(request, context), throttler.name ?? '');
    return this.storage.increment(id, ttl, limit, blockDuration);
  }

  /** Decides ban, minute and day together; at once if nothing has to be awaited. */
  private decide(context: ExecutionContext, request: Request): MaybeAsync<RateLimitDecision> {
    const { principal } = request;
    if (principal?.kind === 'key') {
      const { allowance } = rulesOf(context);
      return allowance ? this.useAllowance(allowance, context, request) : this.charge(request);
    }
    // A client whose key could not be looked up may have a valid one.
    const isExempt =
      principal?.key === 'unavailable' || (this.http.corsOrigins.length > 0 && isPreflight(request));
    return isExempt ? this.peek(request) : this.charge(request);
  }

  /** Charges nothing while the key has free requests left. */
  private async useAllowance(
    { perMinute }: Allowance,
    context: ExecutionContext,
    request: Request,
  ): Promise<RateLimitDecision> {
    const id = this.generateKey(context, quotaOf(request, this.config).id, FREE_ALLOWANCE);
    const { admitted } = await this.storage.charge({ kind: 'route', id, ttl: MINUTE, limit: perMinute });
    return admitted ? this.peek(request) : this.charge(request);
  }

  private charge(request: Request): MaybeAsync<RateLimitDecision> {
    const { principal } = request;
    const key = principal?.kind === 'key' ? principal : undefined;
    const quota = quotaOf(request, this.config);
    const bannedFor = key ? this.bans.remaining(key) : 0;
    if (bannedFor > 0)
      return this.storage.peek(quota, true).then(({ windows }) => refusal(windows, bannedFor));
    const charged = this.storage.charge(quota);
    return charged instanceof Promise
      ? charged.then((result) => this.afterCharge(key, result))
      : this.afterCharge(key, charged);
  }

  private afterCharge(
    key: ApiKeyPrincipal | undefined,
    { admitted, windows }: QuotaResult,
  ): RateLimitDecision {
    if (admitted) return admission(windows);
    return refusal(windows, key ? this.bans.strike(key, windows) : 0);
  }

  /** The state of the windows and the ban. Charges nothing. */
  private async peek(request: Request): Promise<RateLimitDecision> {
    const { principal } = request;
    const bannedFor = principal?.kind === 'key' ? this.bans.remaining(principal) : 0;
    const { windows } = await this.storage.peek(quotaOf(request, this.config), bannedFor > 0);
    return admission(windows, bannedFor);
  }

  /** @throws RateLimitExceeded, DailyQuotaExceeded or ApiKeyBanned for a refused request */
  private answer(context: ExecutionContext, decision: RateLimitDecision): true {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const { outcome, windows, retryAfter } = (request.rateLimit = decision);
    const { principal } = request;
    this.metrics.decided(principal?.kind === 'key' ? principal.plan : 'anonymous', outcome);
    writeRateLimitHeaders(response, windows);
    if (outcome === 'admitted') return true;
    response.setHeader('Retry-After', retryAfter);
    throw new ERRORS[outcome](retryAfter);
  }
}

const admission = (windows: readonly RateLimitWindow[], bannedFor = 0): RateLimitDecision => ({
  outcome: 'admitted',
  windows,
  bannedFor,
  retryAfter: 0,
});

/** @param wait seconds until the request is admitted, if its windows and the ban do not last longer */
function refusal(windows: readonly RateLimitWindow[], bannedFor: number, wait = 1): RateLimitDecision {
  const dayIsOver = windows.some(({ name, remaining }) => name === 'day' && remaining === 0);
  const outcome = bannedFor > 0 ? 'banned' : dayIsOver ? 'day_exhausted' : 'minute_exhausted';
  const retryAfter = Math.max(wait, wholeSeconds(bannedFor), secondsUntilRoom(windows));
  return { outcome, windows, bannedFor, retryAfter };
}
