import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { Clock } from '../clock/clock.js';
import { type Decision, decisive } from './decision.js';
import { QuotaEngine } from './quota-engine.js';
import { DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
import { wholeSeconds, writeRateLimitHeaders } from './rate-limit.headers.js';
import { subjectOf } from './subject.js';

/** Counts every request under `/v1` against its caller's plan, and refuses what is beyond it. */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly engine: QuotaEngine,
    private readonly clock: Clock,
  ) {
    super(options, storage, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const subject = subjectOf(request);
    const decision = isPreflight(request) ? this.engine.look(subject) : this.engine.take(subject);
    this.answer(http.getResponse(), decision instanceof Promise ? await decision : decision);
    return true;
  }

  private answer(response: Response, decision: Decision): void {
    writeRateLimitHeaders(response, decision, this.clock.now());
    if (decision.outcome === 'admitted') return;
    const retryAfter = wholeSeconds(decisive(decision).resetIn);
    response.setHeader('Retry-After', retryAfter);
    throw decision.outcome === 'day_exhausted'
      ? new DailyQuotaExceeded(retryAfter)
      : new RateLimitExceeded(retryAfter);
  }
}

/** A browser's question before a cross-origin call: sent without the key, so it must not use up the address's count. */
function isPreflight({ method, headers }: Request): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
