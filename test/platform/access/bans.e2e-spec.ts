import { ApiKeysRepository } from '../../../src/platform/access/keys/api-keys.repository.js';
import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { days, minutes, seconds } from '../../../src/platform/kernel/clock/duration.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { becomes, eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { withClient } from '../../support/test-database.js';
import { Bans } from '../../../src/platform/access/rate-limit/bans/bans.js';
import { PREFIX } from '../../support/prefix.js';

const LIMITS = { perMinute: 2, perDay: 1000 };
const LISTENER = `SELECT FROM pg_stat_activity WHERE datname = current_database()
  AND application_name = '${PREFIX} key changes' AND state = 'idle' AND query <> ''`;

describe('a ban and its record in the database', () => {
  let petstore: Petstore;
  let client: ReturnType<Petstore['client']>;
  let id: number;
  let proxy: TcpProxy;

  beforeAll(async () => {
    petstore = await Petstore.start({ through: async (url) => (proxy = await TcpProxy.to(url)) });
  });
  afterAll(async () => {
    await petstore.stop();
    proxy.remove();
  });
  beforeEach(async () => {
    // The previous test may have cut the listening connection.
    await eventually(async () => (await petstore.query(LISTENER)).length > 0);
    petstore.clock.set(new Date()); // bans are recorded in real time
    client = petstore.client(await petstore.key('enterprise', LIMITS));
    id = (await petstore.query<{ id: number }>('SELECT max(id) AS id FROM api_keys'))[0]?.id ?? 0;
  });

  const keys = () => petstore.app.get(ApiKeysService);
  const ban = async () => (await client.get('/v1/rate-limit')).body.ban as unknown; // this request is free
  /** Keeps sending after a 429 until the key is banned. */
  async function provoke(): Promise<void> {
    for (let i = 0; i < 3; i++) await client.get('/v1/events');
    petstore.clock.advance(seconds(1));
    for (let i = 0; i < 20; i++) await client.get('/v1/events');
  }
  const code = async () => (await client.get('/v1/events')).body.code as string;

  it('is recorded as soon as it is imposed', async () => {
    await provoke();
    const endsAt = petstore.clock.now() + minutes(1);
    await eventually(async () => (await keys().find(id))?.banEndsAt?.getTime() === endsAt);
    expect((await keys().find(id))?.banLevel).toBe(1);
  });

  it('imposed while PostgreSQL is unavailable takes effect immediately, and is recorded afterwards', async () => {
    expect((await client.get('/v1/events')).status).toBe(200);
    proxy.cut();
    await provoke();
    expect(await code()).toBe('api_key_banned');
    const endsAt = petstore.clock.now() + minutes(1);
    proxy.mend();
    await eventually(async () => {
      const key = await keys()
        .find(id)
        .catch(() => null);
      return key?.banEndsAt?.getTime() === endsAt && key.banLevel === 1;
    });
  });

  it('imposed while PostgreSQL is unavailable does not return after it was lifted', async () => {
    petstore.clock.set(Date.now() - seconds(30)); // PostgreSQL's clock determines when it is lifted
    expect((await client.get('/v1/events')).status).toBe(200);
    proxy.cut();
    await provoke();
    await withClient(petstore.databaseUrl, (other) =>
      other.query(
        'UPDATE api_keys SET ban_ends_at = NULL, ban_level = 0, forgiven_at = now() WHERE id = $1',
        [id],
      ),
    );
    proxy.mend();
    const bans = petstore.app.get(Bans);
    await becomes(() => bans.waiting, 0);
    expect((await keys().find(id))?.banEndsAt).toBeNull();
  });

  describe('after level 4 and nine days without a ban', () => {
    const record = (endsAt: number, level: number, since: number) =>
      petstore.app.get(ApiKeysRepository).recordBans([{ id, endsAt, level, since }]);
    const level = async () => (await keys().find(id))?.banLevel;
    let now: number;

    beforeEach(async () => {
      now = petstore.clock.now();
      await record(now - days(9), 4, now - days(9) - minutes(1));
    });

    it('begins with the first step again, and goes on with the second in another process', async () => {
      await record(now + minutes(1), 1, now);
      expect(await level()).toBe(1);
      const again = petstore.client(await petstore.key('enterprise', LIMITS)); // a key that this process has not seen
      const [other] = await petstore.query<{ id: number }>('SELECT max(id) AS id FROM api_keys');
      await petstore.query(
        `UPDATE api_keys SET ban_ends_at = banned.ban_ends_at - interval '2 minutes', ban_level = banned.ban_level
         FROM api_keys AS banned WHERE banned.id = $1 AND api_keys.id = $2`,
        [id, other?.id],
      );
      client = again;
      await provoke();
      const { headers } = await client.get('/v1/events').expect(429);
      expect(headers['retry-after']).toBe('300');
    });

    it('keeps the steps that are left if a process did not know of them', async () => {
      await record(now - days(1) - minutes(1), 4, now - days(1) - minutes(2));
      await record(now + minutes(1), 1, now);
      expect(await level()).toBe(3);
    });

    it('is at the first step too if the operator imposes one', async () => {
      await keys().ban(id, new Date(Date.now() + minutes(5)));
      expect(await level()).toBe(1);
    });
  });

  it('imposed by the operator takes effect immediately in a running service, with its Retry-After', async () => {
    await client.get('/v1/events').expect(200);
    await keys().ban(id, new Date(petstore.clock.now() + minutes(5)));
    await eventually(async () => (await ban()) !== undefined);
    const { body, headers } = await client.get('/v1/events');
    expect(body).toMatchObject({ code: 'api_key_banned' });
    expect(headers['retry-after']).toBe('300');
  });

  it('lifted by the operator ends immediately, and the used quota stays', async () => {
    await client.get('/v1/events').expect(200);
    await keys().ban(id, new Date(petstore.clock.now() + minutes(5)));
    await eventually(async () => (await ban()) !== undefined);
    await client.get('/v1/events').expect(429);
    await keys().unban(id);
    await becomes(() => ban(), undefined);
    const { headers } = await client.get('/v1/events').expect(200);
    expect(headers['x-ratelimit-remaining']).toBe('0');
  });
});
