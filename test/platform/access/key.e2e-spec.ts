import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import type { Scope } from '../../../src/platform/access/keys/scopes.js';
import { eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { rememberKey } from '../../support/run-log.js';
import { SECRET } from '../../support/prefix.js';

interface Rotated {
  readonly key: string;
  readonly oldSecretEndsAt?: string;
}

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start();
});
afterAll(() => petstore.stop());

async function newKey(scopes?: Scope[], expiresAt?: Date) {
  const issued = await petstore.app
    .get(ApiKeysService)
    .create({ name: 'web shop', plan: 'pro', scopes, expiresAt });
  rememberKey(issued.secret);
  return { id: issued.key.id, secret: issued.secret, client: petstore.client(issued.secret) };
}

describe('GET /v1/key', () => {
  it('shows the key, but nothing of its secret', async () => {
    const { id, client, secret } = await newKey(['events:read'], new Date('2031-01-01T00:00:00Z'));
    const { body, text } = await client.get('/v1/key').expect(200);
    expect(body).toEqual({
      id,
      name: 'web shop',
      plan: 'pro',
      scopes: ['events:read'],
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: '2031-01-01T00:00:00.000Z',
    });
    expect(text).not.toContain(secret.slice(-4));
  });

  it('lists every scope for a key without a list of scopes', async () => {
    const { client } = await newKey();
    const { body } = await client.get('/v1/key').expect(200);
    expect((body as { scopes: string[] }).scopes).toEqual(
      expect.arrayContaining(['events:read', 'key:rotate']),
    );
  });
});

describe('POST /v1/key/rotate', () => {
  const rotate = (client: ReturnType<Petstore['client']>, body: object) =>
    client.post('/v1/key/rotate').send(body);
  const newSecret = (body: unknown) => {
    const { key } = body as { key: string };
    rememberKey(key);
    return petstore.client(key);
  };

  it('returns a new secret, and the old one works for another day', async () => {
    const { id, client } = await newKey();
    const { body } = await rotate(client, {}).expect(200);
    const renewed = newSecret(body);
    expect(body).toEqual({
      key: expect.stringMatching(new RegExp(`^${SECRET}$`)),
      oldSecretEndsAt: new Date(petstore.clock.now() + 86_400_000).toISOString(),
    });
    expect((await renewed.get('/v1/key').expect(200)).body).toMatchObject({ id });
    await client.get('/v1/key').expect(200);
  });

  it('ends the old secret immediately for overlapSeconds 0', async () => {
    const { client } = await newKey();
    const { body } = await rotate(client, { overlapSeconds: 0 }).expect(200);
    expect(body).not.toHaveProperty('oldSecretEndsAt');
    await newSecret(body).get('/v1/key').expect(200);
    await eventually(async () => (await client.get('/v1/key')).status === 401); // it is announced to every process
  });

  it('replaces a lost secret if the old one rotates again, without changing the end of the old one', async () => {
    const { client } = await newKey();
    const first = (await rotate(client, { overlapSeconds: 600 }).expect(200)).body as Rotated;
    petstore.clock.advance(1000);
    const second = (await rotate(client, { overlapSeconds: 3600 }).expect(200)).body as Rotated;
    expect(second.oldSecretEndsAt).toBe(first.oldSecretEndsAt);
    await newSecret(second).get('/v1/key').expect(200);
    await client.get('/v1/key').expect(200);
    const lost = newSecret(first);
    await eventually(async () => (await lost.get('/v1/key')).status === 401);
    petstore.clock.advance(599_000);
    await client.get('/v1/key').expect(401);
  });

  it('starts the overlap for the newest secret if it rotates, and ends the previous one', async () => {
    const { client } = await newKey();
    const second = newSecret((await rotate(client, { overlapSeconds: 600 }).expect(200)).body);
    const third = newSecret((await rotate(second, { overlapSeconds: 600 }).expect(200)).body);
    await second.get('/v1/key').expect(200);
    await third.get('/v1/key').expect(200);
    await eventually(async () => (await client.get('/v1/key')).status === 401);
  });

  it('lets one of many concurrent rotations win, and the secret in use keeps its overlap', async () => {
    const { client } = await newKey();
    const all = await Promise.all(
      Array.from({ length: 8 }, () => rotate(client, { overlapSeconds: 600 }).expect(200)),
    );
    await client.get('/v1/key').expect(200);
    expect(new Set(all.map(({ body }) => (body as Rotated).oldSecretEndsAt)).size).toBe(1);
    const clients = all.map(({ body }) => newSecret(body));
    await eventually(async () => {
      const statuses = await Promise.all(clients.map(async (each) => (await each.get('/v1/key')).status));
      return statuses.filter((status) => status === 200).length === 1;
    });
  });

  it('refuses an Idempotency-Key with 400: a stored response would contain the secret', async () => {
    const { client } = await newKey();
    await rotate(client, {}).set('Idempotency-Key', 'rotation').expect(400);
  });

  describe('more than ten times in 24 hours', () => {
    /** Rotations by clients some time ago; the history refuses updates. */
    const rotatedBefore = (id: unknown, count: number, ago: string, command = 'the service') =>
      petstore.query(
        `INSERT INTO api_key_history (key_id, changed_at, action, os_user, host, command, changes)
         SELECT $1, now() - $2::interval, 'rotate', 'x', 'x', $3, '{}' FROM generate_series(1, $4::int)`,
        [id, ago, command, count],
      );

    it('is refused, even for concurrent requests, and the secret in use keeps working', async () => {
      const { client } = await newKey();
      const all = await Promise.all(
        Array.from({ length: 14 }, () => rotate(client, { overlapSeconds: 600 })),
      );
      for (const { status, body } of all) if (status === 200) newSecret(body);
      expect(all.filter(({ status }) => status === 200)).toHaveLength(10);
      const refused = all.find(({ status }) => status === 429);
      expect(refused?.body).toMatchObject({ code: 'too_many_rotations', status: 429 });
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(86_300);
      expect(refused?.headers).toHaveProperty('x-ratelimit-remaining');
      await client.get('/v1/key').expect(200);
    });

    it('is possible again at Retry-After', async () => {
      const { id, client } = await newKey();
      await rotatedBefore(id, 1, '23 hours 58 minutes');
      await rotatedBefore(id, 9, '1 hour');
      const refused = await rotate(client, {}).expect(429);
      const wait = Number(refused.headers['retry-after']);
      expect(wait).toBeGreaterThanOrEqual(1);
      expect(wait).toBeLessThanOrEqual(120);

      const { id: later, client: laterClient } = await newKey();
      await rotatedBefore(later, 1, '24 hours');
      await rotatedBefore(later, 9, '1 hour');
      newSecret((await rotate(laterClient, {}).expect(200)).body);
      await rotate(laterClient, {}).expect(429);
    });

    it('waits for an exhausted quota too', async () => {
      const { key, secret } = await petstore.app
        .get(ApiKeysService)
        .create({ name: 'small', plan: 'enterprise', limits: { perMinute: 1, perDay: 1_000 } });
      rememberKey(secret);
      await rotatedBefore(key.id, 10, '23 hours 59 minutes 10 seconds'); // possible again sooner than the quota
      const refused = await rotate(petstore.client(secret), {}).expect(429);
      expect(refused.headers['retry-after']).toBe('60');
    });

    it('is not refused because of rotations by the command line, which are not limited', async () => {
      const { id, client } = await newKey();
      await rotatedBefore(id, 20, '1 hour', 'petstore keys rotate');
      newSecret((await rotate(client, {}).expect(200)).body);
      await rotatedBefore(id, 9, '1 hour');
      await rotate(client, {}).expect(429);
      const rotated = await petstore.app.get(ApiKeysService).rotate(id, new Date(Date.now() + 60_000));
      rememberKey(rotated?.secret ?? '');
      expect(rotated).not.toBeNull();
    });

    it('leaves 100 of them in the history, and all that others did', async () => {
      const { id, client } = await newKey();
      await rotatedBefore(id, 150, '2 days', 'petstore keys rotate');
      await rotatedBefore(id, 300, '2 days');
      newSecret((await rotate(client, {}).expect(200)).body);
      const count = async (command: string) =>
        (
          await petstore.query(
            `SELECT FROM api_key_history WHERE key_id = $1 AND action = 'rotate' AND command = $2`,
            [id, command],
          )
        ).length;
      expect(await count('the service')).toBe(100);
      expect(await count('petstore keys rotate')).toBe(150);
      await expect(
        petstore.query(`DELETE FROM api_key_history WHERE key_id = $1 AND action = 'rotate'`, [id]),
      ).rejects.toThrow(/append-only/);
    });
  });

  it.each([-1, 1.5, 2_592_001, '60', null])('refuses overlapSeconds %s with 400', async (overlapSeconds) => {
    const { client } = await newKey();
    expect((await rotate(client, { overlapSeconds }).expect(400)).body).toMatchObject({
      details: [{ field: 'overlapSeconds' }],
    });
  });
});

describe('GET /v1/usage', () => {
  it('counts the requests of each day', async () => {
    const { id, client } = await newKey();
    await petstore.query(
      `INSERT INTO api_key_usage (key_id, day, requests)
       VALUES ($1, (now() AT TIME ZONE 'UTC')::date - 1, 811), ($1, (now() AT TIME ZONE 'UTC')::date - 40, 7)`,
      [id],
    );
    const days = async (query: string) =>
      ((await client.get(`/v1/usage${query}`).expect(200)).body as { requests: number }[]).map(
        ({ requests }) => requests,
      );
    expect(await days('')).toContain(811);
    expect(await days('')).not.toContain(7);
    expect(await days('?days=60')).toEqual(expect.arrayContaining([811, 7]));
  });

  it.each(['days=1&colour=red', 'days=1&days=2'])('refuses ?%s with 400', async (query) => {
    const { client } = await newKey();
    const { body } = await client.get(`/v1/usage?${query}`).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed' });
  });

  it('shows no usage of other keys', async () => {
    const [one, other] = [await newKey(), await newKey()];
    await petstore.query(
      `INSERT INTO api_key_usage (key_id, day, requests) VALUES ($1, (now() AT TIME ZONE 'UTC')::date - 1, 811)`,
      [one.id],
    );
    const { body } = await other.client.get('/v1/usage').expect(200);
    expect(body).not.toContainEqual(expect.objectContaining({ requests: 811 }));
  });
});
