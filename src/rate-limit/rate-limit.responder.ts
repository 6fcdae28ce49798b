import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Verdict } from './decision.js';
import { writeRateLimitHeaders } from './rate-limit.headers.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';
import { outcomeOf, refusalOf } from './refusal.js';

/** Puts what was decided about a request on its response. */
@Injectable()
export class RateLimitResponder {
  constructor(private readonly metrics: RateLimitMetrics) {}

  /** @throws RateLimitExceeded, DailyQuotaExceeded or ApiKeyBanned where the request is refused */
  respond({ principal }: Request, response: Response, verdict: Verdict): void {
    this.metrics.decided(principal?.kind === 'key' ? principal.plan : 'anonymous', outcomeOf(verdict));
    writeRateLimitHeaders(response, verdict);
    const refusal = refusalOf(verdict);
    if (!refusal) return;
    response.setHeader('Retry-After', refusal.retryAfter);
    throw refusal.error;
  }
}
