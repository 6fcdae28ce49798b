import type { INestApplication } from '@nestjs/common';
import type { Socket } from 'node:net';
import { Config } from '../kernel/config/config.js';
import { RateLimiter } from './rate-limiter.js';
import { writeRateLimitHeaders } from './rate-limit.headers.js';

/**
 * The headers of a response to an unreadable request: the windows of the client's address. Charges nothing. Behind a proxy
 * the client is unknown.
 */
export function clientErrorHeaders(app: INestApplication) {
  const config = app.get(Config);
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
