import { hours } from '../../../src/platform/kernel/clock/duration.js';
import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { petstore as command } from '../../support/command-line.js';
import { Petstore } from '../../support/petstore.js';
import { withClient } from '../../support/test-database.js';

/** How PostgreSQL writes times unless a connection asks for a form. */
const STYLES = ['SQL, DMY', 'SQL, MDY', 'German', 'Postgres, DMY', 'ISO, DMY'];

describe.each(STYLES)('with DateStyle %s of the database', (style) => {
  let petstore: Petstore;
  let keys: ApiKeysService;

  beforeAll(async () => {
    petstore = await Petstore.start({
      through: async (url) => {
        const name = new URL(url).pathname.slice(1);
        await withClient(url, (client) => client.query(`ALTER DATABASE ${name} SET datestyle = '${style}'`));
        return { url };
      },
    });
    keys = petstore.app.get(ApiKeysService);
  });
  afterAll(() => petstore.stop());

  const newest = async () =>
    (await petstore.query<{ id: number }>('SELECT max(id) AS id FROM api_keys'))[0]?.id ?? 0;
  /** The status of a request with a new key, whose row has been changed by hand. */
  async function statusAfter(change: string): Promise<number> {
    const secret = await petstore.key();
    await petstore.query(`UPDATE api_keys SET ${change} WHERE id = $1`, [await newest()]);
    return (await petstore.client(secret).get('/v1/key')).status;
  }

  it('an expired key is 401, a banned one 429, and one that is neither 200', async () => {
    const instant = `'${new Date(petstore.clock.now() - hours(1)).toISOString()}'::timestamptz`;
    expect(await statusAfter(`expires_at = ${instant}`)).toBe(401);
    expect(await statusAfter(`expires_at = ${instant} + interval '2 hours'`)).toBe(200);
    expect(await statusAfter(`ban_ends_at = ${instant} + interval '2 hours', ban_level = 1`)).toBe(429);
    expect(await statusAfter('revoked_at = now()')).toBe(401);
  });

  it('commands show when a key was revoked or expires', async () => {
    const env = { DATABASE_URL: petstore.databaseUrl };
    await petstore.key();
    const id = await newest();
    await keys.revoke(id);
    const list = await command(['keys', 'list'], env);
    expect(list.stdout.split('\n').find((line) => line.startsWith(`${id} `))).toContain('revoked');
    expect(await command(['keys', 'show', String(id)], env)).toMatchObject({ code: 0, stderr: '' });
  });

  it('events have the time at which they occurred', async () => {
    const client = petstore.client(await petstore.key());
    const from = await client.get('/v1/events').query({ since: 'now' });
    const category = await client.post('/v1/webhooks').send({ url: 'https://example.com/', types: ['*'] });
    expect([from.status, category.status]).not.toContain(500);
    expect((await client.get('/v1/events')).status).toBe(200);
    expect((await client.get('/v1/webhooks')).status).toBe(200);
  });
});
