import {
  Controller,
  Get,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Next,
  Options,
  Post,
  RequestMethod,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expectErrorBody, expectPromisedHeaders, expectErrorResponse } from '../../support/promises.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { AnyKey, Public } from '../../../src/platform/index.js';
import {
  type RawResponse,
  bearer,
  type Message,
  requestBytes,
  send,
  sendBytes,
  valuesOf,
} from '../../support/wire.js';

@Public()
@AnyKey()
@Controller({ path: 'passing', version: ['1', VERSION_NEUTRAL] })
class PassingController {
  @Get('on')
  get(@Next() next: NextFunction): void {
    next();
  }

  @Options('options')
  options(@Next() next: NextFunction): void {
    next();
  }
}

@Public()
@AnyKey()
@Controller({ path: 'passing/host', version: ['1', VERSION_NEUTRAL], host: 'petstore.test' })
class OwnHostController {
  @Get()
  get(): object {
    return {};
  }
}

@Public()
@AnyKey()
@Controller({ path: 'passing/admin', version: ['1', VERSION_NEUTRAL], host: 'admin.example.com' })
class OtherHostController {
  @Get()
  get(): object {
    return {};
  }
}

@Public()
@AnyKey()
@Controller({ path: 'audit/known', version: ['1', VERSION_NEUTRAL] })
class AuditedController {
  @Post()
  post(): object {
    return {};
  }
}

const audit = (_: Request, response: Response, next: NextFunction): void => {
  response.setHeader('X-Audited', 'yes');
  next();
};

@Module({ controllers: [PassingController, OwnHostController, OtherHostController, AuditedController] })
class PassingModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    for (const path of ['v1/audit/*splat', 'audit/*splat'])
      consumer.apply(audit).forRoutes({ path, method: RequestMethod.POST });
  }
}

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, PassingModule] });
  key = await petstore.key();
  await petstore.query(`INSERT INTO items (name, amount, status) VALUES ('Rex', 1, 'open')`);
});
afterAll(() => petstore.stop());

const ask = ({ headers = [], ...message }: Message) =>
  send(petstore, { ...message, headers: [bearer(key), ...headers] });

const PATHS = {
  '/v1/items': 'GET, HEAD, OPTIONS, POST',
  '/v1/items/1': 'DELETE, GET, HEAD, OPTIONS, PATCH',
  '/v1/events': 'GET, HEAD, OPTIONS',
  '/v1/rate-limit': 'GET, HEAD, OPTIONS',
};
const WRONG = ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];
const PATCHES = 'application/merge-patch+json, application/json';
const LIMIT = 16_384;
const NEW_ITEM = '{"name":"Rex","amount":1}';

describe.each(Object.entries(PATHS))('%s', (path, allow) => {
  it('responds to HEAD like to GET, without the body', async () => {
    const [get, head] = [await ask({ path }), await ask({ path, method: 'HEAD' })];
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    const lasting = ({ headers }: RawResponse) =>
      headers.filter(([name]) => !/^(date|x-request-id|(x-)?ratelimit.*)$/i.test(name));
    expect(lasting(head)).toEqual(lasting(get));
    expectPromisedHeaders(head);
  });

  it('responds to OPTIONS with 204 and Allow, with and without a key', async () => {
    for (const response of [
      await ask({ path, method: 'OPTIONS' }),
      await send(petstore, { path, method: 'OPTIONS' }),
    ]) {
      expect(response.status).toBe(204);
      expect(response.body).toBe('');
      expect(valuesOf(response, 'Allow')).toEqual([allow]);
      expectPromisedHeaders(response);
    }
  });

  it('names the media types of PATCH for OPTIONS', async () => {
    const response = await ask({ path, method: 'OPTIONS' });
    expect(valuesOf(response, 'Accept-Patch')).toEqual(allow.includes('PATCH') ? [PATCHES] : []);
  });

  it.each(WRONG.filter((method) => !allow.includes(method)))(
    'refuses %s with 405 and Allow',
    async (method) => {
      const response = await ask({ path, method });
      expectErrorResponse(response, 405, 'method_not_allowed');
      expect(valuesOf(response, 'Allow')).toEqual([allow]);
    },
  );

  it('refuses a wrong method without a key with 401', async () => {
    expectErrorResponse(await send(petstore, { path, method: 'PUT' }), 401, 'missing_api_key');
  });

  it('is the same with a trailing slash', async () => {
    const [plain, slash] = [await ask({ path }), await ask({ path: `${path}/` })];
    expect({ status: slash.status, body: slash.body }).toEqual({ status: plain.status, body: plain.body });
  });
});

describe('an unknown path', () => {
  it.each([
    '/v1',
    '/v1/',
    '/v1/nope',
    '/v1/items/1/2',
    '/v1/item',
    '/v1/ITEMS',
    '/v1/it%65ms',
    '/v1//items',
    '/v1/*',
    '/v1/*path',
  ])('%s is refused with 404 route_not_found, by any method', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      expectErrorResponse(await ask({ path, method }), 404, 'route_not_found');
    }
  });

  it('is refused with 401 without a key', async () => {
    expectErrorResponse(await send(petstore, { path: '/v1/nope' }), 401, 'missing_api_key');
  });

  it.each(['/nope', '/V1/items', '/v2/items', '/v1items', '//v1/items', '/items', '/v1.json'])(
    '%s outside /v1 is refused with 404, is not counted and needs no key',
    async (path) => {
      const response = await send(petstore, { path });
      expectErrorBody(response, 404, 'route_not_found');
      expect(valuesOf(response, 'X-RateLimit-Limit')).toEqual([]);
      expect(valuesOf(response, 'X-Request-Id')).toHaveLength(1);
    },
  );
});

describe('a known path outside /v1', () => {
  it.each([
    '/',
    '/openapi.json',
    '/openapi.yaml',
    '/docs',
    '/docs/',
    '/docs/errors',
    '/docs/theme.css',
    '/docs/swagger-ui.css',
    '/docs/favicon-32x32.png?v=1',
    '/health/live',
    '/health/ready',
  ])('%s is 405 for a method that it does not have, and 204 for OPTIONS', async (path) => {
    const allow = ['GET, HEAD, OPTIONS'];
    for (const method of ['DELETE', 'POST', 'PUT', 'PATCH']) {
      const response = await send(petstore, { path, method });
      expectErrorBody(response, 405, 'method_not_allowed');
      expect(valuesOf(response, 'Allow')).toEqual(allow);
    }
    const options = await send(petstore, { path, method: 'OPTIONS' });
    expect({ status: options.status, allow: valuesOf(options, 'Allow') }).toEqual({ status: 204, allow });
    expect((await send(petstore, { path, method: 'HEAD' })).status).toBeLessThan(304);
  });

  it.each(['/docs/nope', '/docs/swagger-ui.css/x', '/docs//', '/docs/constructor', '/docs/__proto__'])(
    '%s is unknown, by any method',
    async (path) => {
      for (const method of ['GET', 'DELETE', 'OPTIONS'])
        expectErrorBody(await send(petstore, { path, method }), 404, 'route_not_found');
    },
  );
});

describe.each(['/v1', ''])('a path that only some requests reach (%s)', (prefix) => {
  it.each([
    ['a handler that passes the request on', 'GET', '/passing/on'],
    ['a handler that passes the request on', 'HEAD', '/passing/on'],
    ['a handler that passes the request on', 'OPTIONS', '/passing/options'],
    ['a controller for another host', 'GET', '/passing/admin'],
    ['a controller for another host', 'HEAD', '/passing/admin'],
    ['only middleware', 'POST', '/audit/none'],
    ['only middleware', 'GET', '/audit/none'],
    ['only middleware', 'OPTIONS', '/audit/none'],
  ])('is 404 with %s: %s %s', async (_, method, path) => {
    const response = await ask({ path: prefix + path, method });
    expect({ status: response.status, allow: valuesOf(response, 'Allow') }).toEqual({
      status: 404,
      allow: [],
    });
    if (method !== 'HEAD') expectErrorBody(response, 404, 'route_not_found');
  });

  it('is found by the others, and keeps its 405', async () => {
    expect((await ask({ path: `${prefix}/passing/host` })).status).toBe(200);
    expect(valuesOf(await ask({ path: `${prefix}/audit/known`, method: 'POST' }), 'X-Audited')).toEqual([
      'yes',
    ]);
    const response = await ask({ path: `${prefix}/audit/known` });
    expectErrorBody(response, 405, 'method_not_allowed');
    expect(valuesOf(response, 'Allow')).toEqual(['OPTIONS, POST']);
    const passed = await ask({ path: `${prefix}/passing/on`, method: 'OPTIONS' });
    expect({ status: passed.status, allow: valuesOf(passed, 'Allow') }).toEqual({
      status: 204,
      allow: ['GET, HEAD, OPTIONS'],
    });
  });
});

describe('a path that is not valid percent-encoding', () => {
  it.each([
    '/v1/%',
    '/v1/%zz',
    '/v1/items/%',
    '/v1/items/%ff',
    '/v1/items/%ED%A0%80',
    '/v1/items/%C0%80',
    '/v1/nope/%E0%A4%A',
  ])('%s is refused with 400, after authentication', async (path) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      expectErrorResponse(await ask({ path, method }), 400, 'validation_failed');
    }
    expectErrorResponse(await send(petstore, { path }), 401, 'missing_api_key');
  });

  it('is not found outside /v1, and is not counted', async () => {
    const response = await send(petstore, { path: '/docs/%zz' });
    expect(response.status).toBe(404);
    expect(valuesOf(response, 'X-RateLimit-Limit')).toEqual([]);
  });
});

describe('a request target in absolute form', () => {
  it('is routed by its path (RFC 9112, section 3.2.2)', async () => {
    expect((await ask({ path: 'http://petstore.test/v1/items' })).status).toBe(200);
    expectErrorResponse(
      await ask({ path: 'http://petstore.test/v1/items', method: 'DELETE' }),
      405,
      'method_not_allowed',
    );
    expectErrorResponse(await ask({ path: 'http://petstore.test/v1/nope' }), 404, 'route_not_found');
    expect((await ask({ path: 'http://petstore.test?a=1' })).status).toBe(200);
  });
});

describe('Accept', () => {
  it.each([
    '*/*',
    'application/json',
    'text/html',
    'application/json;q=0',
    'application/problem+json',
    'nonsense',
  ])('%s gets JSON, even for an error', async (accept) => {
    for (const path of ['/v1/items', '/v1/nope']) {
      const response = await ask({ path, headers: [['Accept', accept]] });
      expect(response.status).toBe(path === '/v1/nope' ? 404 : 200);
      expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
    }
  });
});

describe('the media type of a body', () => {
  const post = (type: string | undefined, body: string | Buffer = NEW_ITEM) =>
    ask({ method: 'POST', headers: type === undefined ? [] : [['Content-Type', type]], body });

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json ; charset=utf-8;',
    'application/json; profile=item',
  ])('%s is accepted', async (type) => {
    expect((await post(type)).status).toBe(201);
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'application/ld+json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json, text/plain',
    'application/json application/json',
    `application/json${' '.repeat(8000)}x`,
  ])('%.60s is refused with 415', async (type) => {
    expectErrorResponse(await post(type), 415, 'unsupported_media_type');
  });

  it('is refused for PATCH with Accept-Patch', async () => {
    const headers = [['Content-Type', 'application/json-patch+json']] as const;
    const response = await ask({ method: 'PATCH', path: '/v1/items/1', headers, body: '[]' });
    expectErrorResponse(response, 415, 'unsupported_media_type');
    expect(valuesOf(response, 'Accept-Patch')).toEqual([PATCHES]);
    expect(valuesOf(await post('text/plain'), 'Accept-Patch')).toEqual([]);
  });

  it('is refused before the body is parsed', async () => {
    expectErrorResponse(await post('text/plain', '{'), 415, 'unsupported_media_type');
  });
});

describe('the size of a body', () => {
  const post = (body: string | Buffer, encoding?: string) =>
    ask({
      method: 'POST',
      headers: [
        ['Content-Type', 'application/json'],
        ...(encoding ? [['Content-Encoding', encoding] as const] : []),
      ],
      body,
    });
  const padded = (size: number) => NEW_ITEM.padEnd(size, ' ');

  it('may be 16384 bytes', async () => {
    expect((await post(padded(LIMIT))).status).toBe(201);
  });

  it('above 16384 bytes is refused with 413', async () => {
    expectErrorResponse(await post(padded(LIMIT + 1)), 413, 'payload_too_large');
  });

  it('counts bytes, not characters', async () => {
    expectErrorResponse(await post(`"${'ä'.repeat(LIMIT / 2)}"`), 413, 'payload_too_large');
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
  ])('is measured after %s is decoded', async (encoding, compress) => {
    expect((await post(compress(padded(LIMIT)), encoding)).status).toBe(201);
    expectErrorResponse(await post(compress(padded(LIMIT + 1)), encoding), 413, 'payload_too_large');
  });

  it('is refused with 413 before it is sent if its Content-Length is too large', async () => {
    const head = requestBytes({
      method: 'POST',
      headers: [bearer(key), ['Content-Type', 'application/json'], ['Content-Length', '1000000000']],
    });
    const response = await sendBytes(petstore, head, 'POST');
    expectErrorResponse(response, 413, 'payload_too_large');
  });
});

describe('the Content-Encoding of a body', () => {
  const post = (encoding: string, body: string | Buffer) =>
    ask({
      method: 'POST',
      headers: [
        ['Content-Type', 'application/json'],
        ['Content-Encoding', encoding],
      ],
      body,
    });

  it.each(['identity', ''])('may be "%s"', async (encoding) => {
    expect((await post(encoding, NEW_ITEM)).status).toBe(201);
  });

  it.each(['compress', 'gzip, gzip', 'nonsense', 'gzip;q=1'])('%s is refused with 415', async (encoding) => {
    expectErrorResponse(await post(encoding, gzipSync(NEW_ITEM)), 415, 'unsupported_media_type');
  });

  it.each(['gzip', 'deflate', 'br'])(
    '%s that does not match the body is refused with 400',
    async (encoding) => {
      expectErrorResponse(await post(encoding, NEW_ITEM), 400, 'invalid_json');
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('%s with something after its end is refused with 400', async (encoding, compress) => {
    const whole = compress(NEW_ITEM);
    for (const rest of ['\0', 'x'.repeat(5_000)]) {
      const response = await post(encoding, Buffer.concat([whole, Buffer.from(rest)]));
      expectErrorResponse(response, 400, 'invalid_json');
    }
  });

  it('gzip may have several members (RFC 1952, section 2.2)', async () => {
    const members = [NEW_ITEM.slice(0, 3), NEW_ITEM.slice(3)].map((part) => gzipSync(part));
    expect((await post('gzip', Buffer.concat(members))).status).toBe(201);
  });
});

describe('a request without a key', () => {
  const HEAD = 'POST /v1/items HTTP/1.1\r\nHost: petstore.test\r\nContent-Type: application/json\r\n';

  it.each([
    ['of which no byte comes', `${HEAD}Content-Length: 100\r\n\r\n`],
    ['that never ends', `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam\r\n`],
    ['that waits for 100 Continue', `${HEAD}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n`],
    ['that is too large', `${HEAD}Content-Length: 1000000000\r\n\r\n{`],
    ['that is malformed', `${HEAD}Content-Length: 1\r\n\r\n{`],
  ])('is refused with 401 without waiting for a body %s', async (_, bytes) => {
    const response = await sendBytes(petstore, bytes, 'POST');
    expectErrorResponse(response, 401, 'missing_api_key');
    petstore.clock.advance(60_000); // requests without a key are limited by address
  });
});

it('ignores an Expect that is not 100-continue', async () => {
  const response = await ask({ headers: [['Expect', 'a-miracle']] });
  expect(response.status).toBe(200);
  expectPromisedHeaders(response);
});

describe('a request', () => {
  const to = (hosts: readonly string[], { path = '/v1/events', version = '1.1' } = {}) =>
    sendBytes(
      petstore,
      `GET ${path} HTTP/${version}\r\nAuthorization: Bearer ${key}\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}\r\n`,
    );

  it.each([
    ['without a Host', []],
    ['with two', ['petstore.test', 'petstore.test']],
    ['with one that is not a host name', ['pet store']],
    ['with one that has a path', ['petstore.test/v1']],
    ['with one that names a user', ['user@petstore.test']],
  ])('%s is refused with 400, an Error and all headers', async (_, hosts) => {
    expectErrorResponse(await to(hosts), 400, 'malformed_request');
  });

  it.each([
    ['names', 'a='],
    ['nothing', ''],
  ])('may have 1,000 query parameters with %s, no more', async (_, parameter) => {
    const path = (count: number) =>
      `/v1/rate-limit?${Array.from({ length: count }, () => parameter).join('&')}`;
    const host = ['petstore.test'];
    expect((await to(host, { path: path(1_000) })).status).toBe(200);
    expectErrorResponse(await to(host, { path: path(1_001) }), 400, 'validation_failed');
    expectErrorBody(await to(host, { path: `/nope?${'&'.repeat(1_000)}` }), 400, 'validation_failed');
    expect((await to(host, { path: `/v1/rate-limit?${'a'.repeat(2_000)}` })).status).toBe(200);
  });

  it.each(['/openapi.json', '/health/live', '/metrics', '/nope', '/'])(
    'without a Host is refused with 400 and an Error for %s too',
    async (path) => {
      const response = await to([], { path });
      expectErrorBody(response, 400, 'malformed_request');
      expect(valuesOf(response, 'X-Request-Id')).toHaveLength(1);
    },
  );

  it('without a Host is counted', async () => {
    const used = async () => Number(valuesOf(await to([]), 'X-RateLimit-Remaining')[0]);
    expect(await used()).toBe((await used()) + 1);
  });

  it('of HTTP/1.0 needs no Host', async () => {
    expect((await to([], { version: '1.0' })).status).toBe(200);
  });

  it.each(['petstore.test', 'petstore.test:3000', '127.0.0.1:80', '[::1]:3000', 'xn--bcher-kva.example', ''])(
    'for %s is served',
    async (host) => {
      expect((await to([host])).status).toBe(200);
    },
  );
});

describe('X-Request-Id', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  const idOf = async (message: Message = {}, ...sent: string[]) =>
    valuesOf(await ask({ ...message, headers: sent.map((id) => ['X-Request-Id', id]) }), 'X-Request-Id');

  it.each<[string, Message]>([
    ['GET /v1/items', {}],
    ['an error', { path: '/v1/items?limit=0' }],
    ['an unknown path', { path: '/v1/nope' }],
    ['bad percent-encoding', { path: '/v1/%' }],
    ['a path outside the interface', { path: '/nope' }],
    ['the document', { path: '/openapi.json' }],
    ['OPTIONS', { method: 'OPTIONS' }],
  ])('is generated if none was sent: %s', async (_, message) => {
    expect(await idOf(message)).toEqual([expect.stringMatching(UUID)]);
  });

  it('is different each time', async () => {
    expect(await idOf()).not.toEqual(await idOf());
  });

  it.each(['a', '4f1c', 'trace-01/span:2', '!"#$%&()*+,-./:;<=>?@[]^_`{|}~', 'x'.repeat(128)])(
    'is kept if sent: %s',
    async (id) => {
      expect(await idOf({}, id)).toEqual([id]);
      expect(await idOf({ path: '/v1/nope' }, id)).toEqual([id]);
    },
  );

  it.each([
    ['empty', ''],
    ['longer than 128 characters', 'x'.repeat(129)],
    ['of two words', 'a b'],
    ['with a tab', 'a\tb'],
    ['not ASCII', 'é'],
  ])('is replaced if the one sent is %s', async (_, id) => {
    expect(await idOf({}, id)).toEqual([expect.stringMatching(UUID)]);
  });

  it('is replaced if two were sent', async () => {
    expect(await idOf({}, 'a', 'b')).toEqual([expect.stringMatching(UUID)]);
  });
});
