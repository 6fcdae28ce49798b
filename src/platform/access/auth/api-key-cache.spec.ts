import { cpuTime } from '../../../../test/support/cpu-time.js';
import { TestClock } from '../../../../test/support/test-clock.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { ApiKeyPrincipal } from './principal.js';
import { ApiKeyCache } from './api-key-cache.js';

const principal = (id: number) => ({ id }) as ApiKeyPrincipal; // the cache reads only the id

let clock: TestClock;
let cache: ApiKeyCache;

beforeEach(() => {
  clock = new TestClock();
  cache = new ApiKeyCache(clock, { max: 3, ttl: seconds(10) });
});

const knows = (...hashes: string[]) => hashes.filter((hash) => cache.stale(hash) !== undefined);

describe('ApiKeyCache', () => {
  it('evicts the least recently used entry when it is full', () => {
    for (const [id, hash] of ['a', 'b', 'c'].entries()) cache.set(hash, principal(id));
    cache.fresh('a');
    cache.set('d', principal(4));
    expect(knows('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  });

  it('removes both secrets of a key, and no other key', () => {
    cache.set('old', principal(1));
    cache.set('new', principal(1));
    cache.set('other', principal(2));
    cache.forget('1');
    expect(knows('old', 'new', 'other')).toEqual(['other']);
  });

  it('removes a key that was set twice, was evicted, or is unknown', () => {
    cache.set('a', principal(1));
    cache.set('a', principal(1));
    cache.forget('1');
    cache.forget('1');
    cache.forget('7');
    expect(knows('a')).toEqual([]);
    for (const hash of ['a', 'b', 'c', 'd']) cache.set(hash, principal(1));
    cache.forget('1');
    expect(knows('a', 'b', 'c', 'd')).toEqual([]);
  });

  it('removes a key without scanning all entries', async () => {
    const many = 100_000;
    cache = new ApiKeyCache(clock, { max: many, ttl: seconds(10) });
    for (let id = 0; id < many; id++) cache.set(String(id), principal(id));
    const { took } = await cpuTime(() => {
      for (let id = 0; id < many; id++) cache.forget(String(id));
    });
    expect(took).toBeLessThan(seconds(10)); // with scans: minutes
    expect(knows('0', '99999')).toEqual([]);
  });
});
