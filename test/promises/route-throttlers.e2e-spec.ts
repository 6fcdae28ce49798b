import { Controller, Get, Module } from '@nestjs/common';
import { hours, minutes, seconds, Throttle } from '@nestjs/throttler';
import { Petstore } from '../support/petstore.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

@Controller({ path: 'throttled', version: '1' })
class ThrottledController {
  @Throttle({ default: { limit: 5, ttl: minutes(10) } })
  @Get('five')
  five(): object {
    return {};
  }

  @Throttle({ default: { limit: 1, ttl: minutes(10), blockDuration: hours(1) } })
  @Get('block')
  block(): object {
    return {};
  }

  @Throttle({ default: { limit: 1, ttl: seconds(5) } })
  @Get('short')
  short(): object {
    return {};
  }

  @Get('free')
  free(): object {
    return {};
  }
}

@Module({ controllers: [ThrottledController] })
class ThrottledModule {}

/** Required wherever requests are counted. */
function describeThrottlers(environment: () => Promise<Record<string, string>>): void {
  let petstore: Petstore;

  beforeAll(async () => {
    petstore = await Petstore.start({ env: await environment(), modules: [ThrottledModule] });
  });
  afterAll(() => petstore.stop());

  it('admit exactly their limit of concurrent requests, and a refused one is not charged to the plan', async () => {
    const client = petstore.client(await petstore.key('free'));
    const responses = await Promise.all(
      Array.from({ length: 30 }, async () => client.get('/v1/throttled/five')),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    const { headers } = await client.get('/v1/throttled/free');
    expect(headers['x-ratelimit-remaining']).toBe('54');
  });

  it('count requests that the plan then refuses, like two throttlers', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 1, perDay: 100 }));
    for (const status of [200, 429, 429, 429, 429]) await client.get('/v1/throttled/five').expect(status);
    const { headers } = await client.get('/v1/throttled/five').expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(60); // that of the route's limit
  });

  it('refuse until the plan admits a request too', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 1, perDay: 100 }));
    await client.get('/v1/throttled/short').expect(200);
    const { headers } = await client.get('/v1/throttled/short').expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(50); // that of the plan
  });

  it('block for blockDuration', async () => {
    const client = petstore.client(await petstore.key('free'));
    await client.get('/v1/throttled/block').expect(200);
    for (let i = 0; i < 2; i++) {
      const { headers } = await client.get('/v1/throttled/block').expect(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(3590);
      expect(headers['x-ratelimit-remaining']).toBe('59');
    }
  });
}

describe('throttlers of a route, counted in memory,', () => {
  describeThrottlers(() => Promise.resolve({}));
});

describeWithRedis('throttlers of a route, counted in Redis,', () => {
  let redis: RedisServer;
  describeThrottlers(async () => {
    redis = await RedisServer.start();
    return { REDIS_URL: redis.url };
  });
  afterAll(() => redis.stop());
});
