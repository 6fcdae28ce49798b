import { jest } from '@jest/globals';
import { ApiKeysRepository } from '../../../src/platform/access/keys/api-keys.repository.js';
import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { ApiKeyResolver } from '../../../src/platform/access/auth/api-key-resolver.js';
import { makeSecret } from '../../../src/platform/access/keys/secret.js';
import { DataSource } from 'typeorm';
import { TcpProxy } from '../../support/tcp-proxy.js';
import type { Int64 } from '../../../src/platform/kernel/json/int64.js';
import { eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorResponse } from '../../support/promises.js';
import { type RawResponse, bearer, type Message, send, valuesOf } from '../../support/wire.js';
import { PREFIX } from '../../support/prefix.js';

let petstore: Petstore;
let proxy: TcpProxy;
let keys: ApiKeysService;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ through: async (url) => (proxy = await TcpProxy.to(url)) });
  keys = petstore.app.get(ApiKeysService);
  key = await petstore.key();
});
afterAll(async () => {
  await petstore.stop();
  proxy.remove();
});
beforeEach(() => {
  petstore.clock.advance(61_000); // requests without a key are limited by address, and caches expire
});

const ask = (...headers: NonNullable<Message['headers']>) => send(petstore, { headers });
const authorize = (value: string) => ask(['Authorization', value]);

function expectMissing(response: RawResponse): void {
  expectErrorResponse(response, 401, 'missing_api_key');
  expect(valuesOf(response, 'WWW-Authenticate')).toEqual([`Bearer realm="${PREFIX}"`]);
}

function expectInvalid(response: RawResponse): void {
  expectErrorResponse(response, 401, 'invalid_api_key');
  expect(valuesOf(response, 'WWW-Authenticate')).toEqual([`Bearer realm="${PREFIX}", error="invalid_token"`]);
}

async function revokedKey(): Promise<string> {
  const { key: made, secret } = await keys.create({ name: 'revoked', plan: 'free' });
  await revoke(made.id);
  return secret;
}

const revoke = (id: Int64) => heard(id, () => keys.revoke(id));

/** Changes a key and waits until the service has noticed. */
async function heard(id: Int64, change: () => Promise<unknown>): Promise<void> {
  const forget = jest.spyOn(petstore.app.get(ApiKeyResolver), 'forget');
  await change();
  await eventually(() => forget.mock.calls.some(([forgotten]) => forgotten === String(id)));
  forget.mockRestore();
}

/** @param overlap milliseconds; none when left out */
async function rotatedOutKey(overlap?: number): Promise<string> {
  const { key: made, secret } = await keys.create({ name: 'rotated', plan: 'free' });
  const endsAt = overlap === undefined ? undefined : new Date(petstore.clock.now() + overlap);
  await heard(made.id, () => keys.rotate(made.id, endsAt));
  return secret;
}

async function keyExpiringIn(milliseconds: number): Promise<string> {
  const expiresAt = new Date(petstore.clock.now() + milliseconds);
  return (await keys.create({ name: 'short-lived', plan: 'free', expiresAt })).secret;
}

/** The key with its digit at `index` changed. */
function mistyped(secret: string, index: number): string {
  const digit = secret[index] === 'x' ? 'y' : 'x';
  return secret.slice(0, index) + digit + secret.slice(index + 1);
}

describe('a request with a valid key', () => {
  it.each(['Bearer ', 'bearer ', 'BEARER ', 'Bearer  '])('sent as "%s<key>" is accepted', async (scheme) => {
    expect((await authorize(scheme + key)).status).toBe(200);
  });
});

describe('a request without a key', () => {
  it('is refused with 401 missing_api_key', async () => {
    expectMissing(await ask());
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Digest username="x"', 'Token x'])(
    'but Authorization: "%s" is refused with 401 missing_api_key',
    async (value) => {
      expectMissing(await authorize(value));
    },
  );

  it('but with a key elsewhere is refused with 401 missing_api_key', async () => {
    for (const name of ['access_token', 'api_key', 'key']) {
      const response = await send(petstore, { path: `/v1/events?${name}=${key}` });
      expectMissing(response);
      expect(response.body).not.toContain(key);
    }
    expectMissing(await ask(['X-Api-Key', key]));
    expectMissing(await ask(['Cookie', `access_token=${key}`]));
    expectMissing(await ask(['Proxy-Authorization', `Bearer ${key}`]));
  });
});

describe('a request with a key that is not valid', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['unknown', () => makeSecret()],
    ['revoked', revokedKey],
    ['expired', () => keyExpiringIn(0)],
    ['rotated out', rotatedOutKey],
    ['rotated out with an overlap that has ended', () => rotatedOutKey(0)],
    ['mistyped at its start', () => mistyped(key, 0)],
    ['mistyped in the middle', () => mistyped(key, 30)],
    ['mistyped at its end', () => mistyped(key, key.length - 1)],
    ['cut', () => key.slice(0, -1)],
    ['longer', () => `${key}0`],
    ['followed by a word', () => `${key} x`],
    ['followed by a comma', () => `${key},`],
    ['quoted', () => `"${key}"`],
    ['upper case', () => key.toUpperCase()],
    ['made up', () => 'secret'],
    ['very long', () => 'x'.repeat(10_000)],
    ['no ASCII', () => `${PREFIX}_é`],
  ])('because it is %s is refused with 401 invalid_api_key', async (_, make) => {
    expectInvalid(await authorize(`Bearer ${await make()}`));
  });

  it('gets the same response whatever the reason', async () => {
    const wrong = [
      makeSecret(),
      await revokedKey(),
      await keyExpiringIn(0),
      await rotatedOutKey(),
      await rotatedOutKey(0),
      mistyped(key, 30),
    ];
    const responses = await Promise.all(wrong.map((secret) => ask(bearer(secret))));
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(new Set(responses.map(({ headers }) => headers.map(([name]) => name).join())).size).toBe(1);
  });
});

describe('several Authorization headers', () => {
  const remaining = (response: RawResponse) =>
    Number(/;r=(\d+)/.exec(valuesOf(response, 'RateLimit').join())?.[1]);

  it('are refused, and count as a request without a valid key', async () => {
    const good = bearer(key);
    const bad = bearer(makeSecret());
    const before = remaining(await ask(bad));
    for (const headers of [
      [good, bad],
      [bad, good],
      [good, good],
      [good, ['Authorization', '']],
    ] as const)
      expectErrorResponse(await ask(...headers), 400, 'malformed_request');
    expect(remaining(await ask(bad))).toBe(before - 5);
    expect((await ask(good)).status).toBe(200);
  });
});

describe('the database', () => {
  // Statements are not counted: background tasks of the same process, such as the record of daily usage, read the table too.
  let findByHash: jest.SpiedFunction<ApiKeysRepository['findByHash']>;

  beforeEach(() => {
    findByHash = jest.spyOn(petstore.app.get(ApiKeysRepository), 'findByHash');
  });
  afterEach(() => {
    findByHash.mockRestore();
  });

  it('is not queried for a mistyped key, and once for a plausible one', async () => {
    for (const index of [9, 30, key.length - 1]) expectInvalid(await ask(bearer(mistyped(key, index))));
    expect(findByHash).not.toHaveBeenCalled();
    expectInvalid(await ask(bearer(makeSecret())));
    expect(findByHash).toHaveBeenCalledTimes(1);
  });

  it.each<[string, () => Promise<string>, number]>([
    ['a known key', () => Promise.resolve(key), 200],
    ['an unknown key', () => Promise.resolve(makeSecret()), 401],
    ['a revoked key', revokedKey, 401],
    ['an expired key', () => keyExpiringIn(0), 401],
  ])('is queried about %s once in 10 s', async (_, make, status) => {
    const secret = await make();
    const asked = async () => {
      expect((await ask(bearer(secret))).status).toBe(status);
      return findByHash.mock.calls.length;
    };
    expect([await asked(), await asked()]).toEqual([1, 1]);
    petstore.clock.advance(10_000);
    expect(await asked()).toBe(1);
    petstore.clock.advance(1);
    expect([await asked(), await asked()]).toEqual([2, 2]);
  });
});

describe('while the database is unavailable', () => {
  afterEach(() => {
    proxy.mend();
  });

  it('a key that was revoked after its last use is not accepted', async () => {
    const { key: made, secret } = await keys.create({ name: 'to be revoked', plan: 'free' });
    expect((await ask(bearer(secret))).status).toBe(200);
    petstore.clock.advance(20_000);
    await revoke(made.id);
    proxy.cut();
    expectErrorResponse(await ask(bearer(secret)), 503, 'service_unavailable');
  });

  it('a key that was used before keeps working, and an unknown one gets 503, never 401', async () => {
    expect((await ask(bearer(key))).status).toBe(200);
    proxy.cut();
    petstore.clock.advance(20_000);
    expectErrorResponse(
      await send(petstore, { path: '/v1/nope', headers: [bearer(key)] }),
      404,
      'route_not_found',
    );
    const response = await ask(bearer(makeSecret()));
    expectErrorResponse(response, 503, 'service_unavailable');
    expect(valuesOf(response, 'Retry-After')).toEqual([expect.stringMatching(/^[1-9]\d*$/)]);
    expect(valuesOf(response, 'WWW-Authenticate')).toEqual([]);
    expectInvalid(await ask(bearer(mistyped(key, 30))));
    expectMissing(await ask());
  });

  it('a key already known to be revoked stays revoked', async () => {
    const { key: made, secret } = await keys.create({ name: 'to be revoked', plan: 'free' });
    expect((await ask(bearer(secret))).status).toBe(200);
    await keys.revoke(made.id);
    petstore.clock.advance(11_000);
    expectInvalid(await ask(bearer(secret)));
    proxy.cut();
    petstore.clock.advance(11_000);
    expectErrorResponse(await ask(bearer(secret)), 503, 'service_unavailable');
  });
});

describe('a change of a key', () => {
  afterEach(() => {
    proxy.mend();
  });

  it('is noticed immediately again once the listening connection is restored', async () => {
    const { key: made, secret } = await keys.create({ name: 'to be revoked', plan: 'free' });
    expect((await ask(bearer(secret))).status).toBe(200);
    const [row] = await petstore.query<{ now: Date }>('SELECT now()');
    proxy.cut();
    proxy.mend();
    await eventually(() => listening(row?.now));
    await revoke(made.id);
    expectInvalid(await ask(bearer(secret)));
  });

  /** Whether a new connection is listening: PostgreSQL shows the last statement of each one. */
  async function listening(since?: Date): Promise<boolean> {
    const rows = await petstore.app
      .get(DataSource)
      .query<unknown[]>(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle'
          AND application_name = '${PREFIX} key changes' AND query IN ('LISTEN api_keys', 'SELECT 1') AND backend_start > $1`,
        [since],
      )
      .catch(() => []); // the pool has lost its connections too
    return rows.length > 0;
  }
});
