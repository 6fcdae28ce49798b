import type { PlanThrottlerStorage } from '../../src/platform/access/rate-limit/plan-throttler.storage.js';
import {
  type CountedKey,
  type QuotaSubject,
  type QuotaResult,
  MINUTE,
} from '../../src/platform/access/rate-limit/quota.js';

/** An API key. */
export const key = (id: number | string, limit: number, perDay: number): CountedKey => ({
  kind: 'key',
  id: String(id),
  ttl: MINUTE,
  limit,
  perDay,
});

export const address = (network: string, limit = 30): QuotaSubject => ({
  kind: 'address',
  id: network,
  ttl: MINUTE,
  limit,
});

/** Counts a request, as `PlanThrottlerGuard` does. */
export const count = async (storage: PlanThrottlerStorage, subject: QuotaSubject): Promise<QuotaResult> =>
  storage.charge(subject);

/** Sends concurrent requests. @returns how many were admitted */
export async function admitted(
  storage: PlanThrottlerStorage,
  subject: QuotaSubject,
  times: number,
): Promise<number> {
  const results = await Promise.all(Array.from({ length: times }, async () => count(storage, subject)));
  return results.filter((result) => result.admitted).length;
}
