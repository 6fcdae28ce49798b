import { seconds } from '../../src/clock/duration.js';
import { Petstore } from '../support/petstore.js';

describe('GET /metrics', () => {
  let petstore: Petstore;
  let key: string;

  beforeAll(async () => {
    petstore = await Petstore.start();
    key = await petstore.key('enterprise', { perMinute: 3, perDay: 100 });
    const client = petstore.client(key);
    for (let i = 0; i < 5; i++) await client.get('/v1/pets');
    petstore.clock.advance(seconds(1));
    for (let i = 0; i < 22; i++) await client.get('/v1/pets');
    await petstore.client().get('/v1/pets');
  });
  afterAll(() => petstore.stop());

  const metrics = async () => (await petstore.client().get('/metrics').expect(200)).text;

  it('answers without a key, in the text format of Prometheus', async () => {
    await petstore
      .client()
      .get('/metrics')
      .expect(200)
      .expect('Content-Type', /^text\/plain; version=0\.0\.4/);
  });

  it.each([
    ['petstore_quota_decisions_total{plan="enterprise",outcome="admitted"} 3'],
    ['petstore_quota_decisions_total{plan="enterprise",outcome="minute_exhausted"} 21'],
    ['petstore_quota_decisions_total{plan="enterprise",outcome="banned"} 3'],
    ['petstore_quota_decisions_total{plan="anonymous",outcome="admitted"} 1'],
    ['petstore_bans_total 1'],
  ])('counts %s', async (line) => {
    expect((await metrics()).split('\n')).toContain(line);
  });

  it('has no label whose values grow with keys or addresses', async () => {
    const text = await metrics();
    expect(text).not.toContain(key.slice(9, 20));
    expect(text).not.toContain('127.0.0.1');
  });
});
