import { Controller, Get, Module } from '@nestjs/common';
import { hours, minutes, SkipThrottle, Throttle } from '@nestjs/throttler';
import { Petstore } from '../support/petstore.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

@Controller({ path: 'throttled', version: '1' })
class ThrottledController {
  @Throttle({ one: { limit: 5, ttl: minutes(10) }, two: { limit: 7, ttl: hours(1) } })
  @Get('two')
  two(): object {
    return {};
  }

  @Throttle({ default: { limit: 1, ttl: minutes(10), blockDuration: hours(1) } })
  @SkipThrottle({ default: false })
  @Get('block')
  block(): object {
    return {};
  }

  @Get('free')
  free(): object {
    return {};
  }
}

@Module({ controllers: [ThrottledController] })
class ThrottledModule {}

/** What holds wherever the requests are counted. */
function describeThrottlers(environment: () => Promise<Record<string, string>>): void {
  let petstore: Petstore;

  beforeAll(async () => {
    petstore = await Petstore.start({ env: await environment(), modules: [ThrottledModule] });
  });
  afterAll(() => petstore.stop());

  it('admit their limit of requests at the same time, and a refused one is not charged to the plan', async () => {
    const client = petstore.client(await petstore.key('free'));
    const responses = await Promise.all(
      Array.from({ length: 30 }, async () => client.get('/v1/throttled/two')),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    const { headers } = await client.get('/v1/throttled/free');
    expect(headers['x-ratelimit-remaining']).toBe('54');
  });

  it('refuse together: what one refuses is not charged to the other', async () => {
    const client = petstore.client(await petstore.key('free'));
    for (let i = 0; i < 5; i++) await client.get('/v1/throttled/two').expect(200);
    const { headers } = await client.get('/v1/throttled/two').expect(429);
    expect(headers.ratelimit).toMatch(/"one";r=0;t=\d+, "two";r=2;t=\d+$/);
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
