import type { SubjectId } from '../../src/rate-limit/quota-engine.js';

/** A day ledger in memory that can be told to fail, for tests of what stands above it. */
export class TestLedger {
  readonly counts = new Map<string, number>();
  writes = 0;
  away = false;

  add(keyId: SubjectId, day: number, requests: number): Promise<number> {
    if (this.away) return Promise.reject(new Error('away'));
    this.writes += 1;
    const key = `${String(keyId)} ${day}`;
    const count = (this.counts.get(key) ?? 0) + requests;
    this.counts.set(key, count);
    return Promise.resolve(count);
  }

  async addAll(day: number, changes: readonly (readonly [SubjectId, number])[]): Promise<void> {
    for (const [keyId, requests] of changes) await this.add(keyId, day, requests);
  }
}
