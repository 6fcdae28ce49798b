import type { Response } from 'supertest';
import { hours, minutes, seconds } from '../../../src/platform/kernel/clock/duration.js';
import { Petstore } from '../../support/petstore.js';

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start({ env: { TRUST_PROXY: '1' } });
});
afterAll(() => petstore.stop());

type Client = ReturnType<Petstore['client']>;

async function send(client: Client, times: number, path = '/v1/events?limit=1'): Promise<Response> {
  for (let i = 1; i < times; i++) await client.get(path);
  return client.get(path);
}

const remaining = ({ headers }: Response) => Number(headers['x-ratelimit-remaining']);
const retryAfter = ({ headers }: Response) => Number(headers['retry-after']);

describe('the quota of a plan', () => {
  it.each([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const)('%s is %d requests per minute and %d per day', async (plan, perMinute, perDay) => {
    const { headers } = await petstore.client(await petstore.key(plan)).get('/v1/events');
    expect(headers['ratelimit-policy']).toBe(`"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`);
    expect(headers['x-ratelimit-limit']).toBe(String(perMinute));
    expect(headers['x-ratelimit-remaining']).toBe(String(perMinute - 1));
  });

  it('enterprise has the limits of its key', async () => {
    const { headers } = await petstore
      .client(await petstore.key('enterprise', { perMinute: 7, perDay: 70 }))
      .get('/v1/events');
    expect(headers['ratelimit-policy']).toBe('"minute";q=7;w=60, "day";q=70;w=86400');
  });

  it('admits 60 requests of a free key in a minute and refuses the 61st with 429 rate_limit_exceeded', async () => {
    const client = petstore.client(await petstore.key('free'));
    expect((await send(client, 60)).status).toBe(200);
    const refused = await send(client, 1);
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
    expect(refused.headers).toMatchObject({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'retry-after': '60',
    });
  });

  it('reports the end of the window in Unix seconds, rounded up', async () => {
    petstore.clock.advance(1);
    const now = petstore.clock.now();
    const { headers } = await petstore.client(await petstore.key('free')).get('/v1/events');
    expect(headers['x-ratelimit-reset']).toBe(String(Math.ceil((now + minutes(1)) / 1000)));
  });

  it('admits a request sent after Retry-After, and none a second earlier', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 2, perDay: 100 }));
    await client.get('/v1/events');
    petstore.clock.advance(seconds(17));
    const refused = await send(client, 2);
    expect(refused.status).toBe(429);
    petstore.clock.advance(seconds(retryAfter(refused) - 1));
    await client.get('/v1/events').expect(429);
    petstore.clock.advance(seconds(1));
    await client.get('/v1/events').expect(200);
  });

  it('reports the window with the fewest requests left', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 10, perDay: 4 }));
    const { headers } = await client.get('/v1/events');
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '4', 'x-ratelimit-remaining': '3' });
    expect(headers.ratelimit).toMatch(/^"minute";r=9;t=60, "day";r=3;t=\d+$/);
  });

  it('refuses requests beyond the daily quota with 429 daily_quota_exceeded until 00:00 UTC', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 10, perDay: 3 }));
    const refused = await send(client, 4);
    expect(refused.body).toMatchObject({ code: 'daily_quota_exceeded', status: 429 });
    const midnight = Math.ceil(petstore.clock.now() / hours(24)) * hours(24);
    expect(retryAfter(refused)).toBe(Math.ceil((midnight - petstore.clock.now()) / 1000));
    petstore.clock.advance(seconds(retryAfter(refused)));
    await client.get('/v1/events').expect(200);
  });

  it('counts every admitted request, whatever its response, but no refused one', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 5, perDay: 100 }));
    await client.get('/v1/events/999999').expect(404);
    await client.get('/v1/nothing').expect(404);
    await client.delete('/v1/events').expect(405);
    await client.post('/v1/key/rotate').set('Content-Type', 'application/json').send('{').expect(400);
    expect(remaining(await client.get('/v1/events'))).toBe(0);
    const { headers } = await send(client, 3);
    expect(headers.ratelimit).toMatch(/"day";r=95;/);
  });

  it('is shared by all routes', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 5, perDay: 100 }));
    await client.get('/v1/events');
    await client.get('/v1/store/orders');
    expect(remaining(await client.get('/v1/events/1'))).toBe(2);
  });
});

describe('callers without a valid key', () => {
  const from = (address: string, key?: string) => petstore.client(key).set('X-Forwarded-For', address);

  it('are admitted 30 times in a minute from one address, then refused with 429', async () => {
    const client = from('192.0.2.1');
    expect(remaining(await send(client, 1))).toBe(29);
    expect((await send(client, 29)).status).toBe(401);
    const refused = await send(client, 1);
    expect(refused.status).toBe(429);
    expect(refused.headers['ratelimit-policy']).toBe('"minute";q=30;w=60');
    await from('192.0.2.2').get('/v1/events').expect(401);
  });

  it('are counted by the /64 of an IPv6 address', async () => {
    await from('2001:db8:1:2:aaaa::1').get('/v1/events');
    expect(remaining(await from('2001:db8:1:2:bbbb::2').get('/v1/events'))).toBe(28);
    expect(remaining(await from('2001:db8:1:3::1').get('/v1/events'))).toBe(29);
  });

  it('are counted by the address alone if the proxy adds their port', async () => {
    await from('192.0.2.50:1024').get('/v1/events');
    expect(remaining(await from('192.0.2.50').get('/v1/events'))).toBe(28);
    expect(remaining(await from('192.0.2.51:1024').get('/v1/events'))).toBe(29);
    await from('[2001:db8:50::1]:1024').get('/v1/events');
    expect(remaining(await from('2001:db8:50::2').get('/v1/events'))).toBe(28);
  });

  it('cannot choose their address: only hops in TRUST_PROXY are trusted', async () => {
    await from('203.0.113.9, 192.0.2.6').get('/v1/events');
    expect(remaining(await from('203.0.113.10, 192.0.2.6').get('/v1/events'))).toBe(28);
  });
});

describe('a ban', () => {
  const LIMITS = { perMinute: 2, perDay: 1000 };

  /** Keeps sending after a 429 until the key is banned. */
  async function provoke(client: Client): Promise<Response> {
    await send(client, 3);
    petstore.clock.advance(seconds(1));
    return send(client, 20);
  }

  it('starts with the 20th request sent at least a second after the first 429', async () => {
    const client = petstore.client(await petstore.key('enterprise', LIMITS));
    expect((await send(client, 50)).body).toMatchObject({ code: 'rate_limit_exceeded' }); // requests already in flight do not count
    petstore.clock.advance(seconds(1));
    expect((await send(client, 19)).body).toMatchObject({ code: 'rate_limit_exceeded' });
    const banned = await send(client, 1);
    expect(banned.body).toMatchObject({ code: 'api_key_banned', status: 429 });
    expect(banned.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-limit': '2' });
  });

  it('ends after Retry-After, and requests during it do not lengthen it', async () => {
    const client = petstore.client(await petstore.key('enterprise', LIMITS));
    const banned = await provoke(client);
    petstore.clock.advance(seconds(retryAfter(banned) - 1));
    expect(retryAfter(await send(client, 30))).toBe(1);
    petstore.clock.advance(seconds(1));
    await client.get('/v1/events').expect(200);
  });

  it('grows from 1 min to 5 min, 15 min and 1 h, and shrinks by one step after a clean day', async () => {
    const client = petstore.client(await petstore.key('enterprise', LIMITS));
    for (const length of [60, 300, 900, 3600, 3600]) {
      const banned = await provoke(client);
      expect(retryAfter(banned)).toBe(length);
      petstore.clock.advance(seconds(length) + minutes(1));
    }
    petstore.clock.advance(hours(48));
    expect(retryAfter(await provoke(client))).toBe(900);
  });
});

describe('GET /v1/rate-limit', () => {
  it('returns the plan, both windows and no ban, and is not counted', async () => {
    const client = petstore.client(await petstore.key('free'));
    await send(client, 3);
    await client.get('/v1/rate-limit').expect(200);
    const { body } = await client.get('/v1/rate-limit').expect(200).expect('X-RateLimit-Remaining', '57');
    expect(body).toEqual({
      plan: 'free',
      minute: { limit: 60, remaining: 57, reset: Math.ceil((petstore.clock.now() + minutes(1)) / 1000) },
      day: { limit: 1000, remaining: 997, reset: Math.ceil(petstore.clock.now() / hours(24)) * 86_400 },
    });
  });

  it('responds even while the key is exhausted or banned, and shows the ban', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 1, perDay: 100 }));
    await send(client, 2);
    petstore.clock.advance(seconds(1));
    await client.get('/v1/rate-limit').expect(200);
    await send(client, 20);
    const { body } = await client.get('/v1/rate-limit').expect(200);
    expect(body).toMatchObject({ ban: { until: Math.ceil((petstore.clock.now() + minutes(1)) / 1000) } });
  });
});
