import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../kernel/clock/clock.js';
import { WindowCounters } from './memory/window-counters.js';
import { network } from './rate-limit-client.js';
import { RateLimitExceeded } from './rate-limit.errors.js';
import { wholeSeconds } from './rate-limit.result.js';

/** Loading a page takes six requests, most of which return 304. */
const LIMITS = { perMinute: 600 };
const MAX_ADDRESSES = 10_000;

/**
 * Counts requests for documents in this process. It sends no headers, because ordinary readers never reach the limit.
 */
@Injectable()
export class DocumentBudget extends WindowCounters {
  constructor(clock: Clock) {
    super(clock, MAX_ADDRESSES);
  }
}

/** Limits requests for documents, which do not count towards a plan. The largest document has 1.6 MB. */
@Injectable()
export class DocumentBudgetGuard implements CanActivate {
  constructor(private readonly budget: DocumentBudget) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const client = { id: network(http.getRequest<Request>().ip), limits: LIMITS };
    const { admitted, windows } = this.budget.decide(client, true);
    if (admitted) return true;
    const retryAfter = wholeSeconds(windows[0]?.resetIn ?? 0);
    http.getResponse<Response>().setHeader('Retry-After', retryAfter);
    throw new RateLimitExceeded(retryAfter);
  }
}
