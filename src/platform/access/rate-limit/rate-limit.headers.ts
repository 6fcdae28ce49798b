import type { INestApplication } from '@nestjs/common';
import type { Socket } from 'node:net';
import { network } from '../../http/core/network.js';
import { HttpConfig } from '../../http/core/http.config.js';
import { PlanThrottlerStorage } from './plan-throttler.storage.js';
import { RateLimitConfig } from './rate-limit.config.js';
import { addressQuota, type RateLimitWindow, tightestWindow, wholeSeconds } from './quota.js';

/**
 * Sets the contract's headers, and all windows in the format of the IETF draft "RateLimit header fields for
 * HTTP".
 */
export function writeRateLimitHeaders(
  response: { setHeader(name: string, value: string | number): unknown },
  windows: readonly RateLimitWindow[],
): void {
  const { limit, remaining, resetAt } = tightestWindow(windows);
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Remaining', remaining);
  response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt / 1000));
  const [first, second] = windows;
  if (!first) return;
  response.setHeader('RateLimit-Policy', second ? `${policy(first)}, ${policy(second)}` : policy(first));
  response.setHeader('RateLimit', second ? `${state(first)}, ${state(second)}` : state(first));
}

const policy = ({ name, limit, length }: RateLimitWindow): string => `"${name}";q=${limit};w=${length}`;
const state = ({ name, remaining, resetIn }: RateLimitWindow): string =>
  `"${name}";r=${remaining};t=${wholeSeconds(resetIn)}`;

/**
 * Headers for the response to an unreadable request: the windows of the client's address. Charges nothing.
 * Behind a proxy, the client is unknown.
 */
export function clientErrorHeaders(app: INestApplication) {
  const { trustProxy } = app.get(HttpConfig);
  const config = app.get(RateLimitConfig);
  const storage = app.get(PlanThrottlerStorage);
  return async ({ remoteAddress }: Socket): Promise<ReadonlyMap<string, string>> => {
    const headers = new Map<string, string>();
    if (trustProxy !== false) return headers;
    const setHeader = (name: string, value: unknown) => {
      headers.set(name, String(value));
    };
    const { windows } = await storage.peek(addressQuota(network(remoteAddress), config));
    writeRateLimitHeaders({ setHeader }, windows);
    return headers;
  };
}
