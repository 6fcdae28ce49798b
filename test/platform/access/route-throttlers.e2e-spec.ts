import { Controller, Get, HttpCode, Module, Post, UseGuards } from '@nestjs/common';
import {
  hours,
  minutes,
  seconds,
  Throttle,
  ThrottlerGuard,
  ThrottlerModule,
  type ThrottlerModuleOptions,
  SkipThrottle,
} from '@nestjs/throttler';
import { APP_GUARD } from '@nestjs/core';
import type { Request } from 'express';
import { AnyKey, Public } from '../../../src/platform/index.js';
import { Petstore } from '../../support/petstore.js';

@AnyKey()
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

  @Throttle({
    default: {
      limit: (context) => (context.switchToHttp().getRequest<Request>().principal?.kind === 'key' ? 2 : 1),
      ttl: minutes(10),
      getTracker: ({ headers }) => String((headers as Request['headers'])['x-tenant']),
    },
  })
  @Get('tenants')
  tenants(): object {
    return {};
  }

  @Throttle({ default: { limit: 1, ttl: minutes(10), getTracker: ({ body }) => JSON.stringify({ body }) } })
  @Post('bodies')
  @HttpCode(200)
  bodies(): object {
    return {};
  }

  @Get('free')
  free(): object {
    return {};
  }
}

@Public()
@Throttle({ default: { limit: 40, ttl: minutes(10) } })
@AnyKey()
@Controller({ path: 'throttled/public', version: '1' })
class PublicController {
  @Get()
  get(): object {
    return {};
  }
}

@Public()
@Throttle({ default: { limit: 40, ttl: minutes(10) } })
@AnyKey()
@Controller('throttled/public')
class OutsideController {
  @Get()
  get(): object {
    return {};
  }
}

/** As docs/rate-limits.md says. */
const BY_EMAIL: ThrottlerModuleOptions = [
  {
    name: 'email',
    limit: 2,
    ttl: minutes(10),
    getTracker: ({ body }: { body?: { email?: unknown } }) => String(body?.email),
  },
];

@AnyKey()
@Controller({ path: 'throttled/invitations', version: '1' })
class InvitationsController {
  @Post()
  @HttpCode(200)
  @UseGuards(ThrottlerGuard)
  invite(): object {
    return {};
  }

  @Post('few')
  @HttpCode(200)
  @Throttle({ email: { limit: 1, ttl: minutes(10) } })
  @UseGuards(ThrottlerGuard)
  inviteFew(): object {
    return {};
  }
}

@Module({ imports: [ThrottlerModule.forRoot(BY_EMAIL)], controllers: [InvitationsController] })
class InvitationsModule {}

@Module({ controllers: [ThrottledController, PublicController, OutsideController] })
class ThrottledModule {}

describe('throttlers of a route', () => {
  let petstore: Petstore;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [ThrottledModule, InvitationsModule] });
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

  it('count requests that the plan then refuses, as two throttlers of Nest do', async () => {
    const client = petstore.client(await petstore.key('enterprise', { perMinute: 1, perDay: 100 }));
    for (const status of [200, 429, 429, 429, 429]) await client.get('/v1/throttled/five').expect(status);
    const { headers } = await client.get('/v1/throttled/five').expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(60); // that of the route's limit
  });

  it.each(['/v1/throttled/public', '/throttled/public'])(
    'replace the limit of the address on the public route %s',
    async (path) => {
      for (let left = 39; left >= 0; left--) {
        const { headers } = await petstore.client().get(path).expect(200);
        expect(headers).toMatchObject({ 'x-ratelimit-limit': '40', 'x-ratelimit-remaining': `${left}` });
      }
      const { headers } = await petstore.client().get(path).expect(429);
      expect(headers['ratelimit-policy']).toBe('"route";q=40;w=600');
      const unused = await petstore.client().get('/v1/throttled/free').expect(401);
      expect(unused.headers).toMatchObject({ 'x-ratelimit-limit': '30' });
    },
  );

  it('are added to the plan of a key on a public route, and to the limit of an address on others', async () => {
    const key = petstore.client(await petstore.key('free'));
    expect((await key.get('/v1/throttled/public').expect(200)).headers['x-ratelimit-limit']).toBe('60');
    petstore.clock.advance(minutes(1));
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await petstore.client().get('/v1/throttled/five')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('may tell clients apart by the head and the principal', async () => {
    const client = petstore.client(await petstore.key('pro'));
    const ask = (tenant: string) => client.get('/v1/throttled/tenants').set('X-Tenant', tenant);
    for (const status of [200, 200, 429]) await ask('a').expect(status);
    await ask('b').expect(200);
  });

  it('cannot tell them apart by the body, which is read after the plan has admitted the request', async () => {
    const client = petstore.client(await petstore.key('free'));
    await client.post('/v1/throttled/bodies').send({ email: 'ann@example.com' }).expect(200);
    await client.post('/v1/throttled/bodies').send({ email: 'bob@example.com' }).expect(429);
  });

  it('of a module of its own may tell them apart by the body, which the guards of a route see', async () => {
    const client = petstore.client(await petstore.key('free'));
    const invite = (email: string, path = '') =>
      client.post(`/v1/throttled/invitations${path}`).send({ email });
    for (const status of [200, 200, 429]) await invite('ann@example.com').expect(status);
    await invite('bob@example.com').expect(200);
    const other = petstore.client(await petstore.key('free'));
    const refused = await other.post('/v1/throttled/invitations').send({ email: 'ann@example.com' });
    expect({ status: refused.status, body: refused.body as unknown }).toMatchObject({
      status: 429,
      body: { status: 429 },
    });
    for (const status of [200, 429]) await invite('ann@example.com', '/few').expect(status);
    const { headers } = await client.get('/v1/throttled/free').expect(200);
    expect(headers['x-ratelimit-remaining']).toBe('53'); // each request has been counted once for the plan
  });
});

describe('a throttler that a route does not have', () => {
  @AnyKey()
  @Controller({ path: 'unlimited', version: '1' })
  class LimitedController {
    @Throttle({ short: { limit: 1, ttl: minutes(1) } })
    @Get()
    get(): object {
      return {};
    }
  }

  @AnyKey()
  @Controller({ path: 'unlimited', version: '1' })
  class SkippingController {
    @SkipThrottle({ default: true, short: true })
    @Get()
    get(): object {
      return {};
    }
  }

  @Throttle({ short: { ttl: minutes(1) } })
  @AnyKey()
  @Controller({ path: 'unlimited', version: '1' })
  class WholeController {
    @Get()
    get(): object {
      return {};
    }
  }

  class InheritingController extends WholeController {}

  it.each([LimitedController, SkippingController, WholeController, InheritingController])(
    'refuses the start, in one sentence: %p',
    async (controller) => {
      @Module({ controllers: [controller] })
      class UnlimitedModule {}
      await expect(Petstore.start({ modules: [UnlimitedModule] })).rejects.toThrow(
        `${controller.name}.get names the throttler "short", which it does not have.`,
      );
    },
  );

  it('is one that a global guard of a module applies', async () => {
    @Module({
      imports: [ThrottlerModule.forRoot([{ name: 'short', limit: 9, ttl: minutes(1) }])],
      controllers: [LimitedController],
      providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
    })
    class LimitedModule {}
    const petstore = await Petstore.start({ modules: [LimitedModule] });
    const client = petstore.client(await petstore.key());
    const statuses = [await client.get('/v1/unlimited'), await client.get('/v1/unlimited')].map(
      (r) => r.status,
    );
    await petstore.stop();
    expect(statuses).toEqual([200, 429]);
  });
});
