import { type INestApplication, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Socket } from 'node:net';
import { HttpConfig } from '../http/http.config.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit.errors.js';
import { type DecisionLabel, RateLimitMetrics } from './rate-limit.metrics.js';
import {
  type RateLimitResult,
  type RateLimitWindow,
  tightestWindow,
  wholeSeconds,
} from './rate-limit.result.js';
import { RateLimiter } from './rate-limiter.js';

const ERRORS = {
  minute_exhausted: RateLimitExceeded,
  day_exhausted: DailyQuotaExceeded,
  banned: ApiKeyBanned,
} as const;

/** Writes a rate-limit result to the response. */
@Injectable()
export class RateLimitResponder {
  constructor(private readonly metrics: RateLimitMetrics) {}

  /**
   * @param result the windows of the client's plan, and its ban
   * @param routeWait whole seconds until the route's own limit admits a request, if it refuses this one
   * @throws RateLimitExceeded, DailyQuotaExceeded or ApiKeyBanned for a refused request
   */
  respond({ principal }: Request, response: Response, result: RateLimitResult, routeWait?: number): void {
    const label = routeWait === undefined ? labelOf(result) : 'minute_exhausted';
    this.metrics.decided(principal?.kind === 'key' ? principal.plan : 'anonymous', label);
    writeRateLimitHeaders(response, result);
    if (label === 'admitted') return;
    const retryAfter = Math.max(routeWait ?? 0, retryAfterOf(result));
    response.setHeader('Retry-After', retryAfter);
    throw new ERRORS[label](retryAfter);
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

/** Sets the contract's headers, and both windows in the format of the IETF draft "RateLimit header fields for HTTP". */
function writeRateLimitHeaders(
  response: { setHeader(name: string, value: string | number): unknown },
  result: RateLimitResult,
): void {
  const { limit, remaining, resetAt } = tightestWindow(result);
  const { windows } = result;
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Remaining', remaining);
  response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt / 1000));
  response.setHeader('RateLimit-Policy', windows.map(policy).join(', '));
  response.setHeader('RateLimit', windows.map(state).join(', '));
}

const policy = ({ name, limit, length }: RateLimitWindow): string => `"${name}";q=${limit};w=${length}`;
const state = ({ name, remaining, resetIn }: RateLimitWindow): string =>
  `"${name}";r=${remaining};t=${wholeSeconds(resetIn)}`;

/**
 * Headers for the response to an unreadable request: the windows of the client's address. Charges nothing. Behind a
 * proxy, the client is unknown.
 */
export function clientErrorHeaders(app: INestApplication) {
  const config = app.get(HttpConfig);
  const limiter = app.get(RateLimiter);
  return async ({ remoteAddress: ip }: Socket): Promise<ReadonlyMap<string, string>> => {
    const headers = new Map<string, string>();
    if (config.trustProxy !== false) return headers;
    const setHeader = (name: string, value: unknown) => {
      headers.set(name, String(value));
    };
    writeRateLimitHeaders({ setHeader }, await limiter.peek({ ip }));
    return headers;
  };
}
