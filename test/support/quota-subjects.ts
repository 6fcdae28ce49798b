import type { PlanThrottlerStorage } from '../../src/platform/rate-limit/plan-throttler.storage.js';
import { ADDRESS, type QuotaSubject, type QuotaResult, MINUTE } from '../../src/platform/rate-limit/quota.js';

/** An API key. */
export const key = (id: number | string, limit: number, perDay: number): QuotaSubject => ({
  key: String(id),
  ttl: MINUTE,
  limit,
  perDay,
  name: 'default',
});

export const address = (network: string, limit = 30): QuotaSubject => ({
  key: network,
  ttl: MINUTE,
  limit,
  name: ADDRESS,
});

/** Counts a request, as `PlanThrottlerGuard` does. */
export async function count(
  storage: PlanThrottlerStorage,
  { key, ttl, limit, perDay, name }: QuotaSubject,
): Promise<QuotaResult> {
  const { isBlocked, windows } = await storage.increment(key, ttl, limit, 0, name, perDay);
  return { admitted: !isBlocked, windows };
}

/** Sends concurrent requests. @returns how many were admitted */
export async function admitted(
  storage: PlanThrottlerStorage,
  subject: QuotaSubject,
  times: number,
): Promise<number> {
  const results = await Promise.all(Array.from({ length: times }, async () => count(storage, subject)));
  return results.filter((result) => result.admitted).length;
}
