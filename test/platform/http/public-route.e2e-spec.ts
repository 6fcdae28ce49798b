import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { Public } from '../../../src/platform/http/core/public.decorator.js';
import { Petstore } from '../../support/petstore.js';
import { expectPromisedHeaders, expectErrorResponse } from '../../support/promises.js';
import { type RawResponse, bearer, type Message, send, valuesOf } from '../../support/wire.js';
import { AnyKey } from '../../../src/platform/index.js';

@AnyKey()
@Controller({ path: 'on-prices', version: '1' })
class PricesController {
  /** Lists prices. */
  @Public()
  @Get()
  list(): object {
    return { rex: 100 };
  }

  /** Changes prices. */
  @Post()
  change(@Body() body: object): object {
    return body;
  }
}

@Public()
@AnyKey()
@Controller('on-opening-hours')
class OpeningHoursController {
  /** Tells the opening hours. */
  @Get()
  hours(): object {
    return { monday: '9-17' };
  }
}

/** A controller without a version and without `@Public()`. */
@AnyKey()
@Controller('on-staff')
class StaffController {
  /** Lists the staff. */
  @Get()
  list(): object {
    return [];
  }
}

@Module({ controllers: [PricesController, OpeningHoursController, StaffController] })
class ShopModule {}

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ShopModule], env: { ANONYMOUS_PER_MINUTE: '5' } });
});
beforeEach(() => {
  petstore.clock.advance(60_000); // starts a new minute for every window
});
afterAll(() => petstore.stop());

const ask = (path: string, headers: Message['headers'] = []) => send(petstore, { path, headers });
const remaining = (response: RawResponse) => valuesOf(response, 'X-RateLimit-Remaining');

describe('a route with @Public() under /v1', () => {
  it('needs no key, and counts towards the limit of the address', async () => {
    for (const left of ['4', '3', '2', '1', '0']) {
      const response = await ask('/v1/on-prices');
      expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: '{"rex":100}' });
      expectPromisedHeaders(response);
      expect(remaining(response)).toEqual([left]);
    }
    expectErrorResponse(await ask('/v1/on-prices'), 429, 'rate_limit_exceeded');
  });

  it('shares that limit with all other requests without a key', async () => {
    expectErrorResponse(await ask('/v1/pets'), 401, 'missing_api_key');
    expect(remaining(await ask('/v1/on-prices'))).toEqual(['3']);
  });

  it('counts towards the plan of a key that is sent', async () => {
    const key = await petstore.key('pro');
    expect(valuesOf(await ask('/v1/on-prices', [bearer(key)]), 'X-RateLimit-Limit')).toEqual(['300']);
  });

  it('accepts a client with an invalid key like one without a key', async () => {
    expect((await ask('/v1/on-prices', [bearer('wrong')])).status).toBe(200);
  });

  it('does not open other routes of its controller', async () => {
    const response = await send(petstore, { path: '/v1/on-prices', method: 'POST', body: '{}' });
    expectErrorResponse(response, 401, 'missing_api_key');
  });
});

describe('a route with @Public() outside of /v1', () => {
  it('needs no key and is not counted', async () => {
    for (let i = 0; i < 10; i++) {
      const response = await ask('/on-opening-hours?day=monday', [['Accept', 'text/html']]);
      expect({ status: response.status, body: response.body }).toEqual({
        status: 200,
        body: '{"monday":"9-17"}',
      });
      expect(response.headers.filter(([name]) => /ratelimit/i.test(name))).toEqual([]);
    }
    expect(remaining(await ask('/v1/on-prices'))).toEqual(['4']);
  });

  it('returns 405 for other methods', async () => {
    const response = await send(petstore, { path: '/on-opening-hours', method: 'DELETE' });
    expect(response.status).toBe(405);
    expect(valuesOf(response, 'Allow')).toEqual(['GET, HEAD, OPTIONS']);
  });
});

describe('a route outside of /v1 without @Public()', () => {
  it('needs a key and is counted, like every route', async () => {
    expectErrorResponse(await ask('/on-staff'), 401, 'missing_api_key');
    const response = await ask('/on-staff', [bearer(await petstore.key())]);
    expect(response.status).toBe(200);
    expectPromisedHeaders(response);
  });
});

describe('the document', () => {
  it('shows which operations need no key', async () => {
    const { body } = await petstore.client().get('/openapi.json').expect(200);
    const { paths } = body as {
      paths: Record<string, Record<string, { security?: unknown; responses: object }>>;
    };
    const statuses = (responses: object = {}) => Object.keys(responses);
    expect(paths['/on-prices']?.get?.security).toEqual([]);
    expect(statuses(paths['/on-prices']?.get?.responses)).not.toContain('401');
    expect(statuses(paths['/on-prices']?.get?.responses)).toContain('429');
    expect(paths['/on-prices']?.post?.security).toBeUndefined();
    expect(statuses(paths['/on-prices']?.post?.responses)).toContain('401');
  });
});
