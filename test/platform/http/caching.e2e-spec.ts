import {
  Body,
  type CallHandler,
  ClassSerializerInterceptor,
  ConflictException,
  Controller,
  Get,
  Header,
  Module,
  Patch,
  Post,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { Exclude } from 'class-transformer';
import type { Response } from 'express';
import { map } from 'rxjs';
import { versionOf } from '../../../src/platform/http/conditional/response-headers.js';
import {
  AnyKey,
  type Changes,
  Created,
  Idempotent,
  UnitOfWork,
  Updated,
} from '../../../src/platform/index.js';
import { ItemsModule } from '../../items/items.module.js';
import { inlined } from '../../support/inlined.js';
import { Petstore } from '../../support/petstore.js';
import { bearer, type Message, send, valuesOf } from '../../support/wire.js';

@AnyKey()
@Controller({ path: 'caching', version: '1' })
class CachingController {
  @Get('public')
  @Header('Cache-Control', 'public, max-age=60')
  shared(): object {
    return { shared: true };
  }

  @Get('dated')
  @Header('Last-Modified', 'Wed, 25 Nov 2026 10:00:00 GMT')
  dated(): object {
    return { dated: true };
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

@AnyKey()
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

class OwnerResponse {
  readonly id = 1;
  readonly name = 'Ann';

  @Exclude()
  readonly internal = 'hidden';
}

/** Its interceptor changes what the handlers return. */
@AnyKey()
@Controller({ path: 'on-owners', version: '1' })
@UseInterceptors(ClassSerializerInterceptor)
class SerializedController {
  @Get(':id')
  get(): OwnerResponse {
    return new OwnerResponse();
  }

  @Post()
  @Idempotent()
  @Created(OwnerResponse)
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- @Idempotent() requires the parameter
  create(@UnitOfWork() _changes: Changes): OwnerResponse {
    return new OwnerResponse();
  }

  @Patch(':id')
  @Updated(OwnerResponse)
  update(): OwnerResponse {
    return new OwnerResponse();
  }

  @Post('failing')
  @Created(OwnerResponse)
  @UseInterceptors({ intercept: (_: unknown, next: CallHandler) => next.handle().pipe(map(fail)) })
  failing(): OwnerResponse {
    return new OwnerResponse();
  }
}

@AnyKey()
@Controller({ path: 'sent', version: '1' })
class SentController {
  @Post()
  @Idempotent()
  @Created(Object)
  create(@Body() body: Record<string, unknown>, @UnitOfWork() changes: Changes): object {
    expect(changes).toBeDefined();
    return body;
  }

  @Post('wrapped')
  @Created(Object)
  @UseInterceptors({
    intercept: (_: unknown, next: CallHandler) => next.handle().pipe(map((data) => ({ data }))),
  })
  wrapped(): object {
    return { id: 1 };
  }

  @Post('elsewhere')
  @Created(Object)
  @Header('Location', '/v1/elsewhere/1')
  @Header('ETag', '"own"')
  elsewhere(): object {
    return { id: 1 };
  }

  @Post('redirected')
  @Created(Object)
  redirected(@Res({ passthrough: true }) response: Response): object {
    response.status(303);
    return { id: 1 };
  }
}

function fail(): never {
  throw new ConflictException();
}

@Module({ controllers: [CachingController, SecondVersionController, SerializedController, SentController] })
class CachingModule {}

let petstore: Petstore;
let client: ReturnType<Petstore['client']>;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, CachingModule] });
  key = await petstore.key();
  client = petstore.client(key);
  for (const name of ['Rex', 'Zoë', 'Pixel'])
    await client.post('/v1/items').send({ name, amount: 1 }).expect(201);
});
afterAll(() => petstore.stop());

describe('ETag and If-None-Match', () => {
  const etagOf = async (path: string): Promise<string> => {
    const { headers } = await client.get(path).expect(200);
    return String(headers.etag);
  };

  it('are of what is sent, so POST, PATCH and GET agree where an interceptor changes it', async () => {
    const etag = await etagOf('/v1/on-owners/1');
    const created = await client.post('/v1/on-owners').expect(201);
    expect(created.body).toEqual({ id: 1, name: 'Ann' });
    expect(created.headers).toMatchObject({ etag, location: '/v1/on-owners/1' });
    const withKey = () => client.post('/v1/on-owners').set('Idempotency-Key', 'a').expect(201);
    expect((await withKey()).headers.etag).toBe(etag);
    expect((await withKey()).headers.etag).toBe(etag); // the stored response
    expect((await client.patch('/v1/on-owners/1').expect(200)).headers.etag).toBe(etag);
  });

  it('are not those of an error that an interceptor makes of a resource', async () => {
    const { headers } = await client.post('/v1/on-owners/failing').expect(409);
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('location');
  });

  it.each([
    [{ id: 0 }, '0'],
    [{ id: 7, data: { id: 8 } }, '7'],
    [{ id: 'a b/c?d#é%' }, 'a%20b%2Fc%3Fd%23%C3%A9%25'],
    [{ id: null }, undefined],
    [{ id: true }, undefined],
    [{ id: { id: 1 } }, undefined],
    [{ id: [1] }, undefined],
    [{ name: 'Ann' }, undefined],
    [{}, undefined],
  ])('of a created %j: the Location ends with %s', async (sent, id) => {
    const location = id === undefined ? undefined : `/v1/sent/${id}`;
    const { headers } = await client.post('/v1/sent').send(sent).expect(201);
    expect(headers.location).toBe(location);
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
    const repeat = () =>
      client
        .post('/v1/sent/')
        .set('Idempotency-Key', encodeURIComponent(JSON.stringify(sent)))
        .send(sent);
    const [first, second] = [await repeat(), await repeat()];
    expect(second.headers).toMatchObject({ 'idempotent-replayed': 'true', etag: headers.etag });
    for (const response of [first, second]) expect(response.headers.location).toBe(location);
  });

  it('are left to the author where the resource is not at the top of what is sent', async () => {
    const { headers, text } = await client.post('/v1/sent/wrapped').expect(201);
    expect(headers).not.toHaveProperty('location');
    expect(headers.etag).toBe(versionOf(JSON.parse(text) as object));
  });

  it('are those that the handler has set', async () => {
    const { headers } = await client.post('/v1/sent/elsewhere').expect(201);
    expect(headers).toMatchObject({ location: '/v1/elsewhere/1', etag: '"own"' });
  });

  it('are none from status 300 on', async () => {
    const { headers } = await client.post('/v1/sent/redirected').expect(303);
    expect(headers).not.toHaveProperty('location');
    expect(headers).not.toHaveProperty('etag');
  });

  it.each(['/v1/items?limit=2', '/v1/items/1', '/v1/events', '/v2/caching'])(
    'GET %s returns 304 without a body while nothing has changed',
    async (path) => {
      const first = await client.get(path).expect('Cache-Control', 'private, no-cache');
      const { etag = '' } = first.headers as { etag?: string };
      expect(etag).toMatch(/^"[0-9A-Za-z_-]{22}"$/);
      const response = await client.get(path).set('If-None-Match', etag).expect(304);
      expect(response.text).toBe('');
      expect(response.headers).toMatchObject({
        etag,
        'cache-control': 'private, no-cache',
        'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
        'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
        'x-request-id': expect.any(String),
      });
      expect(response.headers).not.toHaveProperty('content-type');
    },
  );

  it.each([
    ['the same time', { 'If-Modified-Since': 'Wed, 25 Nov 2026 10:00:00 GMT' }, 304],
    ['a later time', { 'If-Modified-Since': 'Wed, 25 Nov 2026 10:00:01 GMT' }, 304],
    ['an earlier time', { 'If-Modified-Since': 'Wed, 25 Nov 2026 09:59:59 GMT' }, 200],
    ['no time', { 'If-Modified-Since': 'yesterday' }, 200],
    ['nothing', {}, 200],
    [
      'another ETag, which comes first',
      { 'If-Modified-Since': 'Wed, 25 Nov 2026 10:00:00 GMT', 'If-None-Match': '"other"' },
      200,
    ],
  ])('where a route sets Last-Modified, it is compared: a request with %s', async (_, headers, status) => {
    const response = await client.get('/v1/caching/dated').set(headers).expect(status);
    expect(response.headers['last-modified']).toBe('Wed, 25 Nov 2026 10:00:00 GMT');
    await client.head('/v1/caching/dated').set(headers).expect(status);
  });

  it('no other route compares a time', async () => {
    await client.get('/v1/caching/public').set('If-Modified-Since', new Date().toUTCString()).expect(200);
  });

  it('a 304 still has the Link and deprecation headers', async () => {
    const page = await client
      .get('/v1/items?limit=2')
      .set('If-None-Match', await etagOf('/v1/items?limit=2'));
    expect(page.status).toBe(304);
    expect(page.headers.link).toContain('rel="next"');
    const item = await client.get('/v1/items/1').set('If-None-Match', await etagOf('/v1/items/1'));
    expect(item.headers).toMatchObject({ deprecation: expect.any(String), sunset: expect.any(String) });
  });

  it.each(['/v1/items', '/openapi.json'])(
    'GET %s is 304 for fetch(), which adds Cache-Control: no-cache to conditional requests',
    async (path) => {
      const etag = await etagOf(path);
      const headers = { 'If-None-Match': etag, Authorization: `Bearer ${key}` };
      const response = await fetch(`${await petstore.app.getUrl()}${path}`, { headers });
      expect(response.status).toBe(304);
      await client.get(path).set({ 'If-None-Match': etag, 'Cache-Control': 'no-cache' }).expect(304);
      await client.get(path).set({ 'If-None-Match': '"other"', 'Cache-Control': 'no-cache' }).expect(200);
    },
  );

  it.each([
    ['among others', (etag: string) => `"other", ${etag}`],
    ['as a weak one', (etag: string) => `W/${etag}`],
    ['as any', () => '*'],
  ])('matches %s', async (_, header) => {
    const etag = await etagOf('/v1/items');
    await client.get('/v1/items').set('If-None-Match', header(etag)).expect(304);
  });

  it.each([
    ['another', () => '"another"'],
    ['nonsense', () => 'nonsense'],
    ['one without its quotes', (etag: string) => etag.slice(1, -1)],
  ])('%s gets the whole response', async (_, header) => {
    const etag = await etagOf('/v1/items');
    await client.get('/v1/items').set('If-None-Match', header(etag)).expect(200);
  });

  it('HEAD has the same ETag, and also returns 304', async () => {
    const etag = await etagOf('/v1/items/1');
    expect((await client.head('/v1/items/1').expect(200)).headers.etag).toBe(etag);
    await client.head('/v1/items/1').set('If-None-Match', etag).expect(304);
  });

  it('changes with the content of the response', async () => {
    const before = await etagOf('/v1/items');
    await client.post('/v1/items').send({ name: 'New', amount: 1 }).expect(201);
    const { headers } = await client.get('/v1/items').set('If-None-Match', before).expect(200);
    expect(headers.etag).not.toBe(before);
  });

  it('is not sent with a 404, and a POST ignores If-None-Match', async () => {
    await client.post('/v1/items').set('If-None-Match', '*').send({ name: 'Max', amount: 1 }).expect(201);
    const missing = await client.get('/v1/items/999').set('If-None-Match', '*').expect(404);
    expect(missing.headers).not.toHaveProperty('etag');
    expect(missing.body).toMatchObject({ code: 'item_not_found' });
  });
});

describe('If-None-Match on a write', () => {
  const item = async () => {
    const { body, headers } = await client
      .post('/v1/items')
      .send({ name: 'Conditional', amount: 1 })
      .expect(201);
    return { path: `/v1/items/${(body as { id: number }).id}`, etag: String(headers.etag) };
  };

  it.each([
    ['any version', () => '*'],
    ['the current version', (etag: string) => etag],
    ['the current version as a weak tag', (etag: string) => `W/${etag}`],
    ['the current version among others', (etag: string) => `"other",${etag}`],
  ])('that excludes %s is 412, and nothing changes', async (_, header) => {
    const { path, etag } = await item();
    for (const ifMatch of [{}, { 'If-Match': '*' }, { 'If-Match': etag }]) {
      const headers = { ...ifMatch, 'If-None-Match': header(etag) };
      const changed = await client.patch(path).set(headers).send({ name: 'Max' }).expect(412);
      expect(changed.body).toMatchObject({ code: 'precondition_failed' });
      await client.delete(path).set(headers).expect(412);
    }
    expect((await client.get(path).expect(200)).headers.etag).toBe(etag);
  });

  it('that excludes other versions lets the change through', async () => {
    const { path, etag } = await item();
    const changed = await client
      .patch(path)
      .set('If-None-Match', '"other"')
      .send({ name: 'Max' })
      .expect(200);
    await client
      .delete(path)
      .set({ 'If-None-Match': etag, 'If-Match': String(changed.headers.etag) })
      .expect(204);
    await client.delete(path).set('If-None-Match', '*').expect(404);
  });

  it.each(['If-Match', 'If-None-Match'])('is 400 if %s is no list of tags', async (name) => {
    const { path, etag } = await item();
    const { body } = await client.delete(path).set(name, `"a" ${etag}`).expect(400);
    expect(body).toMatchObject({ details: [{ in: 'header', field: name, code: 'format' }] });
  });

  it('is documented wherever If-Match is', async () => {
    const { body } = await client.get('/openapi.json').expect(200);
    const { paths } = inlined(
      body as { paths: Record<string, Record<string, { parameters?: { name?: string }[] }>> },
    );
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const naming = (header: string) =>
      operations.filter(({ parameters = [] }) => parameters.some(({ name }) => name === header));
    expect(naming('If-Match').length).toBeGreaterThan(0);
    for (const operation of naming('If-Match')) expect(naming('If-None-Match')).toContain(operation);
  });
});

const ask = (message: Message) => send(petstore, { headers: [bearer(key)], ...message });

describe('Cache-Control', () => {
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
