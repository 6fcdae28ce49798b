import type { INestApplication } from '@nestjs/common';
import type { Socket } from 'node:net';
import { HttpConfig } from '../http/http.config.js';
import { RateLimiter } from './rate-limiter.js';
import {
  type RateLimitResult,
  type RateLimitWindow,
  tightestWindow,
  wholeSeconds,
} from './rate-limit.result.js';

/** Sets the contract's headers, and both windows in the format of the IETF draft "RateLimit header fields for HTTP". */
export function writeRateLimitHeaders(
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
