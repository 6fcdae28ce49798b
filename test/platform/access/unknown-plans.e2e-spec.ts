import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { seconds } from '../../../src/platform/kernel/clock/duration.js';
import type { CheckResult } from '../../../src/platform/kernel/config/check-result.js';
import { petstore as command, startWarnings } from '../../support/command-line.js';
import { becomes } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';

let petstore: Petstore;
beforeEach(async () => {
  petstore = await Petstore.start();
});
afterEach(() => petstore.stop());

const env = () => ({ DATABASE_URL: petstore.databaseUrl });
const newest = async () =>
  (await petstore.query<{ id: number }>('SELECT max(id) AS id FROM api_keys'))[0]?.id ?? 0;
const setPlan = async (plan: string) =>
  petstore.query('UPDATE api_keys SET plan = $2 WHERE id = $1', [await newest(), plan]);

describe('a key whose plan this process does not have, as during a roll', () => {
  it('gets 503 with Retry-After, in the log the reason, and is neither charged nor banned', async () => {
    const secret = await petstore.key('free');
    const client = petstore.client(secret);
    const key = async () => (await client.get('/v1/key')).status;
    expect(await key()).toBe(200);
    await setPlan('gold');
    await becomes(key, 503);
    for (let i = 0; i < 100; i++) {
      const response = await client.get('/v1/key');
      expect(response.status).toBe(503);
      expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(response.body).toMatchObject({ code: 'service_unavailable', status: 503 });
    }
    expect(petstore.log.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(/this process does not have the plan gold of key \d+$/),
    );
    await setPlan('free');
    await becomes(key, 200);
    const { body } = await client.get('/v1/rate-limit');
    expect(body).not.toHaveProperty('ban');
    expect((body as { minute: { remaining: number } }).minute.remaining).toBeGreaterThan(30);
  });

  it('gets it after the time to live of the cache even if the notification is lost', async () => {
    const client = petstore.client(await petstore.key('free'));
    await client.get('/v1/key').expect(200);
    await petstore.query('ALTER TABLE api_keys DISABLE TRIGGER api_keys_announce_update');
    await setPlan('gold');
    petstore.clock.advance(seconds(11));
    for (let i = 0; i < 3; i++) await client.get('/v1/key').expect(503);
    await setPlan('free');
    petstore.clock.advance(seconds(1));
    await client.get('/v1/key').expect(200);
  });

  it('is named by the start, doctor and the commands, which give it no such plan', async () => {
    await petstore.key('free');
    await setPlan('gold');
    const id = String(await newest());
    const { code, stdout } = await command(['doctor', '--json'], { ...env(), PORT: '0' });
    const finding = 'this version does not have the plan gold of a key';
    expect((JSON.parse(stdout) as CheckResult[]).map((found) => found.finding)).toContain(finding);
    expect(code).toBe(0);
    expect(await startWarnings({ ...env(), PORT: '0' })).toContainEqual(expect.stringContaining(finding));
    expect((await command(['keys', 'list'], env())).stdout).toMatch(/ gold +unknown +/);
    expect((await command(['keys', 'show', id], env())).stdout).toContain('gold: unknown to this version');
    for (const args of [
      ['create', '--name', 'x'],
      ['update', id],
    ]) {
      const refused = await command(['keys', ...args, '--plan', 'gold'], env());
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("'gold' is invalid") });
    }
    const update = await command(['keys', 'update', id, '--plan', 'pro'], env());
    expect(update.stdout).toContain('pro: 300 per minute');
    expect((await petstore.app.get(ApiKeysService).find(Number(id)))?.limits).toEqual({
      perMinute: 300,
      perDay: 10_000,
    });
  });
});
