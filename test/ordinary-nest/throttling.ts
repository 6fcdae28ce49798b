import { Controller, type ExecutionContext, Get, Injectable, Module } from '@nestjs/common';
import {
  hours,
  minutes,
  seconds,
  SkipThrottle,
  Throttle,
  ThrottlerModule,
  type ThrottlerModuleOptions,
  type ThrottlerOptionsFactory,
} from '@nestjs/throttler';
import type { Request } from 'express';
import type { Response } from 'supertest';
import type { Scene, Topic } from './topics.js';

const header = (context: ExecutionContext, name: string) =>
  context.switchToHttp().getRequest<Request>().get(name);

@Controller({ path: 'on-throttling', version: '1' })
class ThrottlingController {
  @Throttle({ default: { limit: 3, ttl: seconds(10) } })
  @Get('default')
  default(): object {
    return {};
  }

  @Throttle({ short: { limit: 2, ttl: seconds(1) }, long: { limit: 3, ttl: minutes(1) } })
  @Get('named')
  named(): object {
    return {};
  }

  @Throttle({
    default: {
      limit: (context: ExecutionContext) => Number(header(context, 'X-Limit')),
      ttl: (context: ExecutionContext) => Promise.resolve(seconds(Number(header(context, 'X-Ttl')))),
    },
  })
  @Get('functions')
  functions(): object {
    return {};
  }

  @Throttle({ default: { limit: 1, ttl: seconds(10), blockDuration: minutes(1) } })
  @Get('long-block')
  longBlock(): object {
    return {};
  }

  @Throttle({ default: { limit: 1, ttl: seconds(10), blockDuration: seconds(2) } })
  @Get('short-block')
  shortBlock(): object {
    return {};
  }

  @Throttle({ default: { limit: 2, ttl: seconds(10), getTracker: () => 'everyone' } })
  @Get('tracker')
  tracker(): object {
    return {};
  }

  @Throttle({ default: { limit: 2, ttl: seconds(10), generateKey: (_, tracker, name) => name + tracker } })
  @Get('key-one')
  keyOne(): object {
    return {};
  }

  @Throttle({ default: { limit: 2, ttl: seconds(10), generateKey: (_, tracker, name) => name + tracker } })
  @Get('key-two')
  keyTwo(): object {
    return {};
  }

  @Get('free')
  free(): object {
    return {};
  }
}

@Throttle({ default: { limit: 2, ttl: seconds(10) } })
@Controller({ path: 'on-throttling/class', version: '1' })
class ThrottledController {
  @Get('one')
  one(): object {
    return {};
  }

  @Throttle({ default: { limit: 3 } })
  @Get('two')
  two(): object {
    return {};
  }

  @SkipThrottle()
  @Get('three')
  three(): object {
    return {};
  }
}

@SkipThrottle()
@Controller({ path: 'on-throttling/skipped', version: '1' })
class SkippedController {
  @SkipThrottle({ default: false })
  @Get('not')
  dontSkip(): object {
    return {};
  }

  @Get()
  doSkip(): object {
    return {};
  }

  @Throttle({ own: { limit: 2, ttl: seconds(10) } })
  @Get('own')
  own(): object {
    return {};
  }
}

@Module({ controllers: [ThrottlingController, ThrottledController, SkippedController] })
class DecoratorsModule {}

@Controller({ path: 'on-throttling/for-root', version: '1' })
class ForRootController {
  @Get()
  plain(): object {
    return {};
  }

  @SkipThrottle({ short: true })
  @Get('skip')
  skip(): object {
    return {};
  }

  @Throttle({ short: { limit: 1 } })
  @Get('less')
  less(): object {
    return {};
  }
}

@Module({
  imports: [
    ThrottlerModule.forRoot([
      { name: 'short', ttl: seconds(1), limit: 2 },
      { name: 'medium', ttl: seconds(10), limit: 4 },
    ]),
  ],
  controllers: [ForRootController],
})
class ForRootModule {}

@Injectable()
class ThrottlerConfigService implements ThrottlerOptionsFactory {
  createThrottlerOptions(): Promise<ThrottlerModuleOptions> {
    return Promise.resolve({
      throttlers: [{ ttl: hours(1), limit: 1 }],
      skipIf: (context) => header(context, 'X-Skip') === 'yes',
      ignoreUserAgents: [/googlebot/i],
      errorMessage: (_, { limit, timeToExpire }) => `At most ${limit} an hour, wait ${timeToExpire} s.`,
    });
  }
}

@Controller({ path: 'on-throttling/for-root-async', version: '1' })
class ForRootAsyncController {
  @Get()
  get(): object {
    return {};
  }
}

@Module({
  imports: [ThrottlerModule.forRootAsync({ useClass: ThrottlerConfigService })],
  controllers: [ForRootAsyncController],
})
class ForRootAsyncModule {}

@Module({ imports: [DecoratorsModule, ForRootModule, ForRootAsyncModule] })
class ThrottlingModule {}

const PATH = '/v1/on-throttling';
const PLAN_POLICY = '"minute";q=60;w=60, "day";q=1000;w=86400';

/** What is left of each window by name. */
function left({ headers }: Response): Record<string, number> {
  const windows = String(headers.ratelimit).matchAll(/"([^"]+)";r=(\d+)/g);
  return Object.fromEntries([...windows].map(([, name, remaining]) => [name, Number(remaining)]));
}

/** A client of the free plan, which no other test counts. */
async function clientOf({ petstore }: Scene) {
  const client = petstore.client(await petstore.key('free'));
  const get = (path: string, headers: Record<string, string> = {}) => client.get(PATH + path).set(headers);
  const times = async (count: number, path: string, headers?: Record<string, string>) => {
    const responses: Response[] = [];
    for (let i = 0; i < count; i++) responses.push(await get(path, headers));
    return responses;
  };
  const statuses = async (...of: Parameters<typeof times>) =>
    (await times(...of)).map(({ status }) => status);
  return { get, times, statuses };
}

export const throttling: Topic = {
  name: 'with @nestjs/throttler',
  module: ThrottlingModule,
  tests(scene) {
    it('has a limit of its own by @Throttle(), on top of the plan', async () => {
      const { times, get } = await clientOf(scene());
      const [first, , , refused] = await times(4, '/default');
      expect(first?.headers['ratelimit-policy']).toBe(`${PLAN_POLICY}, "route";q=3;w=10`);
      expect(first && left(first)).toEqual({ minute: 59, day: 999, route: 2 });
      expect(refused?.body).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
      expect(refused?.headers['retry-after']).toBe('10');
      scene().petstore.clock.advance(seconds(10));
      expect((await get('/default')).status).toBe(200);
    });

    it('keeps X-RateLimit-* for the plan, whatever a throttler of the route decides', async () => {
      const { times } = await clientOf(scene());
      const responses = await times(4, '/default');
      expect(responses.map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(Array(4).fill('60'));
      // The refused one is not charged.
      expect(responses.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual([
        '59',
        '58',
        '57',
        '57',
      ]);
      const names = responses.flatMap(({ headers }) => Object.keys(headers));
      expect(names.filter((name) => /^(x-ratelimit|retry-after)-.*-/.test(name))).toEqual([]);
    });

    it('counts each client and each route by itself', async () => {
      const [one, other] = [await clientOf(scene()), await clientOf(scene())];
      expect(await one.statuses(4, '/default')).toEqual([200, 200, 200, 429]);
      expect(await other.statuses(1, '/default')).toEqual([200]);
      expect(await one.statuses(3, '/class/one')).toEqual([200, 200, 429]);
    });

    it('counts a client without a key by its address', async () => {
      const anonymous = scene().petstore.client();
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await anonymous.get(`${PATH}/default`)).status);
      expect(statuses).toEqual([401, 401, 401, 429]);
      scene().petstore.clock.advance(minutes(1));
    });

    it('takes @Throttle() of a controller, and of a route what it gives itself', async () => {
      const { statuses, times } = await clientOf(scene());
      expect(await statuses(3, '/class/one')).toEqual([200, 200, 429]);
      const two = await times(4, '/class/two');
      expect(two.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(two[0]?.headers['ratelimit-policy']).toBe(`${PLAN_POLICY}, "route";q=3;w=10`);
      const [three] = await times(1, '/class/three');
      expect(three?.headers['ratelimit-policy']).toBe(PLAN_POLICY);
    });

    it('has several named throttlers, and charges none of them when one refuses', async () => {
      const { times, get } = await clientOf(scene());
      const [first, , refused] = await times(3, '/named');
      expect(first?.headers['ratelimit-policy']).toBe(`${PLAN_POLICY}, "short";q=2;w=1, "long";q=3;w=60`);
      expect(refused?.status).toBe(429);
      expect(refused && left(refused)).toEqual({ minute: 58, day: 998, short: 0, long: 1 });
      expect(refused?.headers['retry-after']).toBe('1');
      scene().petstore.clock.advance(seconds(1));
      expect(left(await get('/named'))).toEqual({ minute: 57, day: 997, short: 1, long: 0 });
      const last = await get('/named');
      expect(last.status).toBe(429);
      expect(last.headers['retry-after']).toBe('59');
    });

    it('charges a route nothing for what the plan refuses', async () => {
      const { petstore } = scene();
      const client = petstore.client(await petstore.key('enterprise', { perMinute: 1, perDay: 100 }));
      const get = async () => client.get(`${PATH}/for-root/skip`);
      expect(left(await get())).toMatchObject({ medium: 3 });
      expect((await get()).status).toBe(429);
      petstore.clock.advance(minutes(1));
      expect(left(await get())).toMatchObject({ medium: 3 });
    });

    it('admits exactly the limit of requests at the same time', async () => {
      const { get } = await clientOf(scene());
      const responses = await Promise.all(Array.from({ length: 20 }, async () => get('/named')));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(2);
      expect(left(await get('/free'))).toEqual({ minute: 57, day: 997 });
    });

    it('is free of the plan by @SkipThrottle(), on the class or the route', async () => {
      const { times, get } = await clientOf(scene());
      const skipped = await times(3, '/skipped');
      expect(skipped.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['60', '60', '60']);
      await get('/class/three');
      expect(left(await get('/skipped/not'))).toEqual({ minute: 59, day: 999 });
    });

    it('has a throttler of its own beside @SkipThrottle()', async () => {
      const { times } = await clientOf(scene());
      const responses = await times(3, '/skipped/own');
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(responses.map(left)).toEqual([
        { minute: 60, day: 1000, own: 1 },
        { minute: 60, day: 1000, own: 0 },
        { minute: 60, day: 1000, own: 0 },
      ]);
    });

    it('takes limit and ttl as functions of the request', async () => {
      const [one, other] = [await clientOf(scene()), await clientOf(scene())];
      expect(await one.statuses(3, '/functions', { 'X-Limit': '2', 'X-Ttl': '5' })).toEqual([200, 200, 429]);
      const [first] = await other.times(1, '/functions', { 'X-Limit': '7', 'X-Ttl': '30' });
      expect(first?.headers['ratelimit-policy']).toBe(`${PLAN_POLICY}, "route";q=7;w=30`);
    });

    it('blocks for blockDuration from the first refused request on', async () => {
      const { petstore } = scene();
      const { times, get } = await clientOf(scene());
      const [, refused] = await times(2, '/long-block');
      expect(refused?.headers['retry-after']).toBe('60');
      petstore.clock.advance(seconds(59));
      const again = await get('/long-block');
      expect([again.status, again.headers['retry-after']]).toEqual([429, '1']);
      petstore.clock.advance(seconds(1));
      expect((await get('/long-block')).status).toBe(200);
    });

    it('gets no fresh window from a block that is shorter', async () => {
      const { petstore } = scene();
      const { times, get } = await clientOf(scene());
      const [, refused] = await times(2, '/short-block');
      expect(refused?.headers['retry-after']).toBe('10');
      petstore.clock.advance(seconds(9));
      expect((await get('/short-block')).status).toBe(429);
      petstore.clock.advance(seconds(2));
      expect((await get('/short-block')).status).toBe(200);
    });

    it('counts by getTracker and generateKey', async () => {
      const [one, other] = [await clientOf(scene()), await clientOf(scene())];
      expect(await one.statuses(1, '/tracker')).toEqual([200]);
      expect(await other.statuses(2, '/tracker')).toEqual([200, 429]);
      expect(await one.statuses(1, '/key-one')).toEqual([200]);
      expect(await one.statuses(2, '/key-two')).toEqual([200, 429]);
      expect(await other.statuses(1, '/key-two')).toEqual([200]);
    });

    it('has the throttlers of ThrottlerModule.forRoot() on the routes of its module, and nowhere else', async () => {
      const { times, get } = await clientOf(scene());
      const [first, , refused] = await times(3, '/for-root');
      expect(first?.headers['ratelimit-policy']).toBe(`${PLAN_POLICY}, "short";q=2;w=1, "medium";q=4;w=10`);
      expect(refused?.status).toBe(429);
      const [less, refusedToo] = await times(2, '/for-root/less');
      expect(less?.headers['ratelimit-policy']).toBe(`${PLAN_POLICY}, "short";q=1;w=1, "medium";q=4;w=10`);
      expect(refusedToo?.status).toBe(429);
      const skip = await times(5, '/for-root/skip');
      expect(skip.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
      expect((await get('/free')).headers['ratelimit-policy']).toBe(PLAN_POLICY);
      const pets = await scene().client.get('/v1/pets');
      expect(pets.headers['ratelimit-policy']).not.toContain('short');
    });

    it('honours skipIf, ignoreUserAgents and errorMessage of ThrottlerModule.forRootAsync()', async () => {
      const { times, statuses } = await clientOf(scene());
      const [, refused] = await times(2, '/for-root-async');
      expect(refused?.body).toEqual({
        code: 'rate_limit_exceeded',
        message: 'At most 1 an hour, wait 3600 s.',
        status: 429,
      });
      expect(await statuses(2, '/for-root-async', { 'X-Skip': 'yes' })).toEqual([200, 200]);
      expect(await statuses(2, '/for-root-async', { 'User-Agent': 'Googlebot/2.1' })).toEqual([200, 200]);
    });
  },
};
