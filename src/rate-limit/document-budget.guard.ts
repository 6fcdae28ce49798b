import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { atMost } from '../kernel/at-most.js';
import { Clock } from '../kernel/clock/clock.js';
import { minutes } from '../kernel/clock/duration.js';
import { network } from './network.js';
import { RateLimitExceeded } from './rate-limit.errors.js';
import { wholeSeconds } from './rate-limit.headers.js';

/** A page load takes six requests, most of them a 304. */
const PER_MINUTE = 600;
const MAX_ADDRESSES = 10_000;

interface Window {
  readonly endsAt: number;
  requests: number;
}

/** Counts requests for documents in this process. No header shows it: ordinary readers never reach it. */
@Injectable()
export class DocumentBudget {
  private readonly windows = new LRUCache<string, Window>(atMost(MAX_ADDRESSES));

  constructor(private readonly clock: Clock) {}

  /** @returns milliseconds until the address may send the next request; 0 for now */
  consume(ip: string | undefined): number {
    const now = this.clock.elapsed();
    const window = this.windowOf(network(ip), now);
    window.requests += 1;
    return window.requests > PER_MINUTE ? window.endsAt - now : 0;
  }

  private windowOf(address: string, now: number): Window {
    const known = this.windows.get(address);
    if (known && now < known.endsAt) return known;
    const window = { endsAt: now + minutes(1), requests: 0 };
    this.windows.set(address, window);
    return window;
  }
}

/** Limits requests for documents, which no plan counts: the largest document has 1.6 MB. */
@Injectable()
export class DocumentBudgetGuard implements CanActivate {
  constructor(private readonly budget: DocumentBudget) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const wait = this.budget.consume(http.getRequest<Request>().ip);
    if (wait === 0) return true;
    const retryAfter = wholeSeconds(wait);
    http.getResponse<Response>().setHeader('Retry-After', retryAfter);
    throw new RateLimitExceeded(retryAfter);
  }
}
