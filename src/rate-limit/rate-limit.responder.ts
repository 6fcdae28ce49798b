import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type RateLimitResult, wholeSeconds } from './rate-limit.result.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
import { writeRateLimitHeaders } from './rate-limit.headers.js';
import { type DecisionLabel, RateLimitMetrics } from './rate-limit.metrics.js';

const ERRORS = {
  minute_exhausted: RateLimitExceeded,
  day_exhausted: DailyQuotaExceeded,
  banned: ApiKeyBanned,
} as const;

/** Writes a rate-limit result to the response. */
@Injectable()
export class RateLimitResponder {
  constructor(private readonly metrics: RateLimitMetrics) {}

  /** @throws RateLimitExceeded, DailyQuotaExceeded or ApiKeyBanned for a refused request */
  respond({ principal }: Request, response: Response, result: RateLimitResult): void {
    const label = labelOf(result);
    this.metrics.decided(principal?.kind === 'key' ? principal.plan : 'anonymous', label);
    writeRateLimitHeaders(response, result);
    if (label === 'admitted') return;
    const retryAfter = retryAfterOf(result);
    response.setHeader('Retry-After', retryAfter);
    throw new ERRORS[label](retryAfter);
  }

  /**
   * Refuses a request because of its route's own limit.
   * @param plan the windows of the client's plan, and its ban
   * @param routeWait whole seconds until the route admits a request
   * @throws RateLimitExceeded
   */
  refuse({ principal }: Request, response: Response, plan: RateLimitResult, routeWait: number): never {
    this.metrics.decided(principal?.kind === 'key' ? principal.plan : 'anonymous', 'minute_exhausted');
    writeRateLimitHeaders(response, plan);
    const retryAfter = Math.max(routeWait, retryAfterOf(plan));
    response.setHeader('Retry-After', retryAfter);
    throw new RateLimitExceeded(retryAfter);
  }

  /** Whether the headers of a result have been set. */
  hasResponded(response: Response): boolean {
    return response.hasHeader('X-RateLimit-Limit');
  }
}

function labelOf({ admitted, windows, bannedFor = 0 }: RateLimitResult): DecisionLabel {
  if (admitted) return 'admitted';
  if (bannedFor > 0) return 'banned';
  const dayIsOver = windows.some(({ name, remaining }) => name === 'day' && remaining === 0);
  return dayIsOver ? 'day_exhausted' : 'minute_exhausted';
}

/** Whole seconds until every exhausted window and any ban have ended. */
function retryAfterOf({ windows, bannedFor = 0 }: RateLimitResult): number {
  const exhausted = windows.filter(({ remaining }) => remaining === 0);
  return wholeSeconds(Math.max(bannedFor, ...exhausted.map(({ resetIn }) => resetIn)));
}
