import { Controller, Get, Header, Module, Post } from '@nestjs/common';
import { served } from '../support/features.js';
import { Petstore } from '../support/petstore.js';
import { bearer, type Message, send, valuesOf } from '../support/wire.js';

@Controller({ path: 'caching', version: '1' })
class CachingController {
  @Get('public')
  @Header('Cache-Control', 'public, max-age=60')
  shared(): object {
    return { shared: true };
  }

  @Get('never')
  @Header('Cache-Control', 'no-store')
  never(): object {
    return { kept: false };
  }

  @Post()
  create(): object {
    return { created: true };
  }
}

@Controller({ path: 'caching', version: '2' })
class SecondVersionController {
  @Get()
  get(): object {
    return { version: 2 };
  }

  @Post()
  create(): object {
    return { created: true };
  }
}

@Module({ controllers: [CachingController, SecondVersionController] })
class CachingModule {}

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [CachingModule] });
  key = await petstore.key();
});
afterAll(() => petstore.stop());

const ask = (message: Message) => send(petstore, { headers: [bearer(key)], ...message });

describe('Cache-Control', () => {
  it.each(
    served(['/v1/pets', '/v1/store/orders', '/v1/events', '/v1/rate-limit', '/v2/caching'], (path) => path),
  )('of %s, which has an ETag, lets a client store and revalidate it', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask({ path, method });
      expect(response.status).toBe(200);
      expect(valuesOf(response, 'ETag')).toHaveLength(1);
      expect(valuesOf(response, 'Cache-Control')).toEqual(['private, no-cache']);
    }
  });

  it('is the same for a 304 as for the 200', async () => {
    const [etag = ''] = valuesOf(await ask({ path: '/v1/events' }), 'ETag');
    const response = await ask({ path: '/v1/events', headers: [bearer(key), ['If-None-Match', etag]] });
    expect(response.status).toBe(304);
    expect(valuesOf(response, 'Cache-Control')).toEqual(['private, no-cache']);
  });

  it.each<[string, Message, number]>([
    ['a creation', { method: 'POST', path: '/v1/caching' }, 201],
    ['a creation of another version', { method: 'POST', path: '/v2/caching' }, 201],
    ['OPTIONS', { method: 'OPTIONS' }, 204],
    ['a 400', { path: '/v1/events?limit=0' }, 400],
    ['a 401', { headers: [] }, 401],
    ['a 404', { path: '/v1/nope' }, 404],
    ['a 404 of another version', { path: '/v2/nope' }, 404],
    ['the bare version', { path: '/v1' }, 404],
    ['a query on the bare version', { path: '/v1?a=1' }, 404],
    ['a 405', { method: 'DELETE' }, 405],
    ['an undecodable path', { path: '/v1/%' }, 400],
  ])('of %s is no-store', async (_, message, status) => {
    const response = await ask(message);
    expect(response.status).toBe(status);
    expect(valuesOf(response, 'Cache-Control')).toEqual(['no-store']);
  });

  it.each([
    ['public', 'public, max-age=60'],
    ['never', 'no-store'],
  ])('set by a handler stays unchanged: %s', async (path, value) => {
    expect(valuesOf(await ask({ path: `/v1/caching/${path}` }), 'Cache-Control')).toEqual([value]);
  });

  it('of bytes that are not HTTP is no-store', async () => {
    const response = await ask({ headers: [[' : ', '']] });
    expect(response.status).toBe(400);
    expect(valuesOf(response, 'Cache-Control')).toEqual(['no-store']);
  });
});

it('mentions /v1 only to a client that names no version', async () => {
  const messageAt = async (path: string) =>
    (JSON.parse((await ask({ path })).body) as { message: string }).message;
  expect(await messageAt('/v2/nope')).toBe('There is nothing at /v2/nope.');
  expect(await messageAt('/v1/nope')).toBe('There is nothing at /v1/nope.');
  expect(await messageAt('/pets')).toBe('There is nothing at /pets. The API is under /v1.');
});
