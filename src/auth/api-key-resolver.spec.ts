import { cpuTime } from '../../test/support/cpu-time.js';
import { TestClock } from '../../test/support/test-clock.js';
import { ApiKey } from './api-key.entity.js';
import type { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeyResolver } from './api-key-resolver.js';
import { LastUsedRecorder } from './last-used-recorder.js';
import { makeSecret } from './secret.js';

const SECRET = makeSecret();

/** The table of keys: one that a test can change, and make respond late or not at all. */
class Table {
  key: ApiKey | null = Object.assign(new ApiKey(), { id: 7, name: 'test', plan: 'free', scopes: null });
  endsAt: Date | null = null;
  looks = 0;
  failure?: Error;
  beforeResult: () => void = () => undefined;

  async findByHash(): Promise<{ key: ApiKey; endsAt: Date | null } | null> {
    this.looks += 1;
    const found = this.key;
    await Promise.resolve();
    this.beforeResult();
    if (this.failure) throw this.failure;
    return found && { key: found, endsAt: this.endsAt };
  }
}

let table: Table;
let clock: TestClock;
let resolver: ApiKeyResolver;
let lastUsed: LastUsedRecorder;

beforeEach(() => {
  table = new Table();
  clock = new TestClock();
  const service = table as unknown as ApiKeysRepository; // all that is asked of it
  lastUsed = new LastUsedRecorder(service);
  resolver = new ApiKeyResolver(service, lastUsed, clock);
});

const resolve = async (secret = SECRET) => {
  const known = resolver.known(secret);
  return (known === undefined ? await resolver.lookUp(secret) : known)?.id;
};

describe('ApiKeyResolver', () => {
  it('resolves a key it knows at once, without a promise', async () => {
    await resolve();
    expect(resolver.known(SECRET)).toMatchObject({ kind: 'key', id: 7, plan: 'free' });
  });

  it('asks once for 50 callers at the same time, also when the result is an error', async () => {
    await Promise.all(Array.from({ length: 50 }, () => resolve()));
    expect(table.looks).toBe(1);
    table.failure = new Error('away');
    const other = makeSecret();
    const settled = await Promise.allSettled(Array.from({ length: 50 }, () => resolve(other)));
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    expect(table.looks).toBe(2);
  });

  it('asks again after a failure', async () => {
    table.failure = new Error('away');
    await expect(resolve()).rejects.toThrow('away');
    table.failure = undefined;
    expect(await resolve()).toBe(7);
  });

  it('still knows a real key after a flood of made-up ones', async () => {
    await resolve();
    table.key = null;
    for (let i = 0; i < 1_000; i++) expect(await resolve(makeSecret())).toBeUndefined();
    table.looks = 0;
    expect(await resolve()).toBe(7);
    expect(table.looks).toBe(0);
  });

  it('looks once more when the key is changed while it looks', async () => {
    table.beforeResult = () => {
      if (table.looks > 1) return;
      table.key = null;
      resolver.forget('7');
    };
    expect(await resolve()).toBeUndefined();
    expect(table.looks).toBe(2);
  });

  it('looks once, however many other keys are changed while it looks', async () => {
    table.beforeResult = () => {
      if (table.looks > 10) throw new Error('looks without end');
      resolver.forget('8');
    };
    expect(await resolve()).toBe(7);
    expect(table.looks).toBe(1);
    table.beforeResult = () => undefined;
    expect(await resolve()).toBe(7);
    expect(table.looks).toBe(1); // it was kept
  });

  it('looks for an unknown key at most twice, however many keys are changed while it looks', async () => {
    table.key = null;
    table.beforeResult = () => {
      if (table.looks > 10) throw new Error('looks without end');
      resolver.forget('8');
    };
    expect(await resolve()).toBeUndefined();
    expect(table.looks).toBeLessThanOrEqual(2);
  });

  it('ends its look also when the key itself is changed all the time, and keeps nothing then', async () => {
    table.beforeResult = () => {
      if (table.looks > 10) throw new Error('looks without end');
      resolver.forget('7');
    };
    expect(await resolve()).toBe(7);
    const { looks } = table;
    expect(looks).toBeLessThanOrEqual(3);
    await resolve();
    expect(table.looks).toBeGreaterThan(looks);
  });

  it('spends no time on what is unknown when keys are changed', async () => {
    table.key = null;
    for (let i = 0; i < 1_000; i++) await resolve(makeSecret());
    const { took } = await cpuTime(() => {
      for (let i = 0; i < 100_000; i++) resolver.forget(String(i));
    });
    expect(took).toBeLessThan(1_000); // to clear what is unknown each time takes several
  });

  it('goes on with the last known state of a key while the look-up fails, until it is forgotten', async () => {
    await resolve();
    clock.advance(60_000);
    table.failure = new Error('away');
    expect(await resolve()).toBe(7);
    resolver.forget('7');
    await expect(resolve()).rejects.toThrow('away');
  });

  it('finds a key that it was just told does not exist, once the table has changed', async () => {
    const { key } = table;
    table.key = null;
    expect(await resolve()).toBeUndefined();
    table.key = key;
    expect(await resolve()).toBeUndefined();
    clock.advance(10_001);
    expect(await resolve()).toBe(7);
  });
});
