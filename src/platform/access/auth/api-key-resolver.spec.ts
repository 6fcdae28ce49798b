import { TestClock } from '../../../../test/support/test-clock.js';
import { ApiKey } from '../keys/api-key.entity.js';
import type { ApiKeysRepository } from '../keys/api-keys.repository.js';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import { ApiKeyResolver } from './api-key-resolver.js';
import { LastUsedRecorder } from './last-used-recorder.js';
import { makeSecret } from '../keys/secret.js';

const SECRET = makeSecret();

/** A table with one key, whose responses a test can change, delay or make fail. */
class Table {
  key: ApiKey | null = Object.assign(new ApiKey(), { id: 7, name: 'test', plan: 'free', scopes: null });
  endsAt: Date | null = null;
  queries = 0;
  failure?: Error;
  beforeResult: () => void = () => undefined;

  async findByHash(): Promise<{ key: ApiKey; endsAt: Date | null } | null> {
    this.queries += 1;
    const found = this.key;
    await Promise.resolve();
    this.beforeResult();
    if (this.failure) throw this.failure;
    return found && { key: found, endsAt: this.endsAt };
  }

  recordUse(): Promise<void> {
    return Promise.resolve();
  }
}

let table: Table;
let clock: TestClock;
let resolver: ApiKeyResolver;
let lastUsed: LastUsedRecorder;

beforeEach(() => {
  table = new Table();
  clock = new TestClock();
  const service = table as unknown as ApiKeysRepository; // only these are called
  lastUsed = new LastUsedRecorder(service);
  resolver = new ApiKeyResolver(service, lastUsed, clock, new TimeLimits());
});
afterEach(() => lastUsed.onApplicationShutdown());

const resolve = async (secret = SECRET, network = '192.0.2.1') => {
  const known = resolver.resolveCached(secret);
  return (known === undefined ? await resolver.lookup(secret, network) : known)?.id;
};

describe('ApiKeyResolver', () => {
  it('resolves a cached key synchronously', async () => {
    await resolve();
    expect(resolver.resolveCached(SECRET)).toMatchObject({ kind: 'key', id: 7, plan: 'free' });
  });

  it('queries once for 50 concurrent callers, even if the query fails', async () => {
    await Promise.all(Array.from({ length: 50 }, () => resolve()));
    expect(table.queries).toBe(1);
    table.failure = new Error('away');
    const other = makeSecret();
    const settled = await Promise.allSettled(Array.from({ length: 50 }, () => resolve(other)));
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    expect(table.queries).toBe(2);
  });

  it('queries again after an error', async () => {
    table.failure = new Error('away');
    await expect(resolve()).rejects.toThrow('away');
    table.failure = undefined;
    expect(await resolve()).toBe(7);
  });

  it('keeps a valid key in the cache during a flood of made-up keys', async () => {
    await resolve();
    table.key = null;
    for (let i = 0; i < 1_000; i++) expect(await resolve(makeSecret(), `2001:db8:${i}::`)).toBeUndefined();
    table.queries = 0;
    expect(await resolve()).toBe(7);
    expect(table.queries).toBe(0);
  });

  it.each([
    ['a known key', (): void => undefined],
    ['an unknown key', () => (table.key = null)],
  ])('does not cache %s if keys keep changing during the queries', async (_, prepare) => {
    prepare();
    table.beforeResult = () => {
      resolver.forget('7');
    };
    await resolve();
    expect(resolver.resolveCached(SECRET)).toBeUndefined();
  });

  it('queries again for a request after a change, even if an earlier query is still running', async () => {
    const before = resolve();
    table.key = null;
    resolver.forget('7');
    expect(await resolve()).toBeUndefined();
    expect(await before).toBeUndefined();
    expect(resolver.resolveCached(SECRET)).toBeNull();
  });
});
