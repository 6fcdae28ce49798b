import { Controller, type ExecutionContext, Get, Injectable, Module, UseGuards } from '@nestjs/common';
import {
  hours,
  minutes,
  seconds,
  SkipThrottle,
  Throttle,
  ThrottlerGuard,
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

  @SkipThrottle({ default: false })
  @Throttle({ default: { limit: 2, ttl: seconds(10) } })
  @Get('own')
  own(): object {
    return {};
  }
}

@Module({ controllers: [ThrottlingController, ThrottledController, SkippedController] })
class DecoratorsModule {}

@UseGuards(ThrottlerGuard)
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
      throttlers: [{ ttl: hours(1), limit: 1, setHeaders: false }],
      skipIf: (context) => header(context, 'X-Skip') === 'yes',
      ignoreUserAgents: [/googlebot/i],
      errorMessage: (_, { limit, timeToExpire }) => `At most ${limit} an hour, wait ${timeToExpire} s.`,
    });
  }
}

@UseGuards(ThrottlerGuard)
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
      expect(first?.headers['ratelimit-policy']).toBe(PLAN_POLICY);
      expect(refused && left(refused)).toEqual({ minute: 57, day: 997 });
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
      const [three] = await times(1, '/class/three');
      expect(three?.headers['ratelimit-policy']).toBe(PLAN_POLICY);
    });

    it('admits exactly the limit of requests at the same time', async () => {
      const { get } = await clientOf(scene());
      const responses = await Promise.all(Array.from({ length: 20 }, async () => get('/default')));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
      expect(left(await get('/free'))).toEqual({ minute: 56, day: 996 });
    });

    it('is free of the plan by @SkipThrottle(), on the class or the route', async () => {
      const { times, get } = await clientOf(scene());
      const skipped = await times(3, '/skipped');
      expect(skipped.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['60', '60', '60']);
      await get('/class/three');
      expect(left(await get('/skipped/not'))).toEqual({ minute: 59, day: 999 });
    });

    it('has a limit of its own in a controller with @SkipThrottle()', async () => {
      const { statuses } = await clientOf(scene());
      expect(await statuses(3, '/skipped/own')).toEqual([200, 200, 429]);
    });

    it('takes limit and ttl as functions of the request', async () => {
      const [one, other] = [await clientOf(scene()), await clientOf(scene())];
      expect(await one.statuses(3, '/functions', { 'X-Limit': '2', 'X-Ttl': '5' })).toEqual([200, 200, 429]);
      const more = { 'X-Limit': '4', 'X-Ttl': '30' };
      expect(await other.statuses(5, '/functions', more)).toEqual([200, 200, 200, 200, 429]);
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

    it('has the throttlers of ThrottlerModule.forRoot() where @UseGuards(ThrottlerGuard) is, and nowhere else', async () => {
      const { times, get } = await clientOf(scene());
      const [first, , refused] = await times(3, '/for-root');
      expect(first?.headers).toMatchObject({
        'x-ratelimit-limit': '60',
        'x-ratelimit-limit-short': '2',
        'x-ratelimit-remaining-medium': '3',
      });
      expect(refused?.body).toMatchObject({ code: 'too_many_requests', status: 429 });
      expect(refused?.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'retry-after-short': '1' });
      const pets = await scene().client.get('/v1/pets');
      expect(pets.headers).not.toHaveProperty('x-ratelimit-limit-short');
      expect((await get('/free')).headers).not.toHaveProperty('x-ratelimit-limit-short');
    });

    it('takes @Throttle() and @SkipThrottle() of the throttlers of ThrottlerModule.forRoot()', async () => {
      const { statuses } = await clientOf(scene());
      expect(await statuses(2, '/for-root/less')).toEqual([200, 429]);
      expect(await statuses(5, '/for-root/skip')).toEqual([200, 200, 200, 200, 429]);
    });

    it('honours skipIf, ignoreUserAgents and errorMessage of ThrottlerModule.forRootAsync()', async () => {
      const { times, statuses } = await clientOf(scene());
      const [, refused] = await times(2, '/for-root-async');
      expect(refused?.body).toEqual({
        code: 'too_many_requests',
        message: 'At most 1 an hour, wait 3600 s.',
        status: 429,
      });
      expect(await statuses(2, '/for-root-async', { 'X-Skip': 'yes' })).toEqual([200, 200]);
      expect(await statuses(2, '/for-root-async', { 'User-Agent': 'Googlebot/2.1' })).toEqual([200, 200]);
    });
  },
};
