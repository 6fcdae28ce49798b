import type { Request } from 'express';
import { network } from '../auth/network.js';
import type { RateLimitConfig } from './rate-limit.config.js';
import { ADDRESS, type Counted, MINUTE } from './rate-limit.record.js';

/** The quota of a request: the plan of its key, or that of its address. */
export function quotaOf({ principal, ip }: Request, config: RateLimitConfig): Counted {
  if (principal?.kind !== 'key') return addressQuota(network(ip), config);
  const { perMinute, perDay } = principal.limits;
  return { key: String(principal.id), ttl: MINUTE, limit: perMinute, perDay, name: 'default' };
}

export const addressQuota = (key: string, { anonymousPerMinute }: RateLimitConfig): Counted => ({
  key,
  ttl: MINUTE,
  limit: anonymousPerMinute,
  name: ADDRESS,
});
