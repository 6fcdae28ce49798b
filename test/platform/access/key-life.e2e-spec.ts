import { jest } from '@jest/globals';
import { ApiKeysRepository } from '../../../src/platform/access/keys/api-keys.repository.js';
import { ApiKeysService, type IssuedKey } from '../../../src/platform/access/keys/api-keys.service.js';
import { ApiKeyResolver } from '../../../src/platform/access/auth/api-key-resolver.js';
import { KeyHistory } from '../../../src/platform/access/keys/key-history.js';
import { minutes, seconds } from '../../../src/platform/kernel/clock/duration.js';
import type { Int64 } from '../../../src/platform/kernel/json/int64.js';
import { eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorResponse } from '../../support/promises.js';
import { type RawResponse, bearer, send, valuesOf } from '../../support/wire.js';

let petstore: Petstore;
let keys: ApiKeysService;

beforeAll(async () => {
  petstore = await Petstore.start();
  keys = petstore.app.get(ApiKeysService);
});
afterAll(() => petstore.stop());
beforeEach(() => {
  petstore.clock.advance(61_000); // requests without a key are limited by address
});

const create = () => keys.create({ name: 'a test', plan: 'free' });
const ask = (secret: string): Promise<RawResponse> => send(petstore, { headers: [bearer(secret)] });
const status = async (secret: string) => (await ask(secret)).status;
const remaining = (response: RawResponse) => valuesOf(response, 'X-RateLimit-Remaining')[0];

/** Changes a key and waits until the service has noticed. */
async function heard<T>(id: Int64, change: () => Promise<T>): Promise<T> {
  const forget = jest.spyOn(petstore.app.get(ApiKeyResolver), 'forget');
  const changed = await change();
  await eventually(() => forget.mock.calls.some(([forgotten]) => forgotten === String(id)));
  forget.mockRestore();
  return changed;
}

const rotate = async (
  { key: { id } }: IssuedKey,
  oldEndsAt?: Date,
  inUse: 'oldest' | 'newest' = 'oldest',
): Promise<string> => {
  const now = petstore.clock.now();
  return (await heard(id, () => keys.rotate(id, oldEndsAt, { inUse, now })))?.secret ?? '';
};
const inMilliseconds = (count: number) => new Date(petstore.clock.now() + count);

describe('a key that is rotated', () => {
  it('works with both secrets until the overlap ends, to the millisecond, even if both are cached', async () => {
    const old = await create();
    const secret = await rotate(old, inMilliseconds(seconds(5)));
    expect([await status(old.secret), await status(secret)]).toEqual([200, 200]);
    petstore.clock.advance(seconds(5) - 1);
    expect([await status(old.secret), await status(secret)]).toEqual([200, 200]);
    petstore.clock.advance(1);
    expectErrorResponse(await ask(old.secret), 401, 'invalid_api_key');
    expect(await status(secret)).toBe(200);
  });

  it('keeps its quota, which both secrets share', async () => {
    const old = await create();
    expect(remaining(await ask(old.secret))).toBe('59');
    const secret = await rotate(old, inMilliseconds(minutes(10)));
    expect(remaining(await ask(secret))).toBe('58');
    expect(remaining(await ask(old.secret))).toBe('57');
  });

  it('stays banned', async () => {
    const old = await create();
    await heard(old.key.id, () => keys.ban(old.key.id, inMilliseconds(minutes(5))));
    expectErrorResponse(await ask(await rotate(old)), 429, 'api_key_banned');
  });

  it('ends with both secrets when it is revoked, and cannot be rotated any more', async () => {
    const old = await create();
    const secret = await rotate(old, inMilliseconds(minutes(10)));
    await heard(old.key.id, () => keys.revoke(old.key.id));
    expect([await status(old.secret), await status(secret)]).toEqual([401, 401]);
    await expect(keys.rotate(old.key.id)).rejects.toThrow(/is revoked/);
  });
});

describe('a key that is updated', () => {
  it('has its new limits immediately, and keeps its used quota', async () => {
    const { key, secret } = await create();
    expect(remaining(await ask(secret))).toBe('59');
    await heard(key.id, () => keys.update(key.id, () => ({ plan: { plan: 'pro', limits: null } })));
    expect(remaining(await ask(secret))).toBe('298');
  });

  it('has its new scopes immediately', async () => {
    const { key, secret } = await create();
    await heard(key.id, () => keys.update(key.id, () => ({ scopes: ['orders:read'] })));
    expectErrorResponse(await ask(secret), 403, 'insufficient_scope');
    await heard(key.id, () => keys.update(key.id, () => ({ scopes: null })));
    expect(await status(secret)).toBe(200);
  });

  it('has its new expiry immediately, or none if it was removed', async () => {
    const { key, secret } = await create();
    await heard(key.id, () => keys.update(key.id, () => ({ expiresAt: inMilliseconds(1_000) })));
    expect(await status(secret)).toBe(200);
    petstore.clock.advance(1_000);
    expect(await status(secret)).toBe(401);
    await heard(key.id, () => keys.update(key.id, () => ({ expiresAt: null })));
    expect(await status(secret)).toBe(200);
  });

  it('cannot be updated once it is revoked', async () => {
    const { key } = await create();
    await keys.revoke(key.id);
    await expect(keys.update(key.id, () => ({ name: 'x' }))).rejects.toThrow(/is revoked/);
    expect((await keys.find(key.id))?.name).toBe('a test');
  });
});

describe('the history of a key', () => {
  const historyOf = (id: Int64) => petstore.app.get(KeyHistory).of(id);
  const WHO = {
    osUser: expect.stringMatching(/./),
    host: expect.stringMatching(/./),
    command: 'the service',
  };

  it('records every change, its author and the values; nothing is recorded if nothing changed', async () => {
    const { key, secret } = await create();
    const { id } = key;
    await keys.update(id, () => ({
      name: 'another',
      plan: { plan: 'pro', limits: null },
      scopes: ['pets:read'],
    }));
    const rotated = await keys.rotate(id, new Date(Date.now() + minutes(5)));
    await keys.ban(id, new Date(Date.now() + minutes(5)));
    await keys.ban(id, new Date(Date.now() + minutes(1))); // shorter
    await keys.unban(id);
    await keys.revoke(id);
    await keys.revoke(id);
    const history = await historyOf(id);
    expect(history.map(({ action }) => action)).toEqual([
      'create',
      'update',
      'rotate',
      'ban',
      'unban',
      'revoke',
    ]);
    for (const entry of history)
      expect(entry).toMatchObject({ ...WHO, keyId: id, changedAt: expect.any(Date) });
    expect(history[0]?.changes).toMatchObject({ plan: { from: null, to: 'free' } });
    expect(history[1]?.changes).toEqual({
      name: { from: 'a test', to: 'another' },
      plan: { from: 'free', to: 'pro' },
      perMinute: { from: 60, to: 300 },
      perDay: { from: 1_000, to: 10_000 },
      scopes: { from: 'all', to: ['pets:read'] },
    });
    expect(Object.keys(history[2]?.changes ?? {})).toEqual(['key', 'oldSecretEndsAt']);
    for (const told of [secret, rotated?.secret ?? '']) {
      expect(JSON.stringify(history)).not.toContain(told.slice(13, -4));
    }
  });

  it('is committed together with the change', async () => {
    const { key } = await create();
    await expect(keys.update(key.id, () => ({ name: '' }))).rejects.toThrow(/api_keys_name_length/);
    expect(await historyOf(key.id)).toHaveLength(1);
    const record = jest.spyOn(petstore.app.get(KeyHistory), 'record').mockRejectedValue(new Error('no room'));
    await expect(keys.revoke(key.id)).rejects.toThrow('no room');
    await expect(keys.create({ name: 'never made', plan: 'free' })).rejects.toThrow('no room');
    record.mockRestore();
    expect((await keys.find(key.id))?.revokedAt).toBeNull();
    expect((await keys.list()).map(({ name }) => name)).not.toContain('never made');
  });

  it('does not record automatic bans', async () => {
    const { key } = await create();
    const since = Date.now();
    await petstore.app
      .get(ApiKeysRepository)
      .recordBans([{ id: key.id, endsAt: since + minutes(1), level: 1, since }]);
    expect(await historyOf(key.id)).toHaveLength(1);
  });

  it.each([
    'UPDATE api_key_history SET os_user = $1',
    'DELETE FROM api_key_history WHERE host <> $1',
    'TRUNCATE api_key_history',
    `INSERT INTO api_key_history OVERRIDING SYSTEM VALUE SELECT * FROM api_key_history WHERE host <> $1
     ON CONFLICT (id) DO UPDATE SET os_user = 'x'`,
  ])('is append-only even in SQL: %s', async (statement) => {
    const { key } = await create();
    const values = statement.includes('$1') ? ['operator'] : [];
    await expect(petstore.query(statement, values)).rejects.toThrow(/append-only/);
    expect(await historyOf(key.id)).toHaveLength(1);
  });
});
