import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { SERVICE } from '../../src/service.js';
import { ItemsModule } from '../items/items.module.js';
import { becomes } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { bearer, type RawResponse, send, valuesOf } from '../support/wire.js';

const FILES = {
  '/docs/errors': 'text/html; charset=utf-8',
  '/openapi.json': 'application/json',
  '/openapi.yaml': 'application/yaml',
};
const PAGE = ['/docs', '/docs/', '/docs/theme.css', '/docs/swagger-ui-init.js', '/docs/swagger-ui-bundle.js'];
const OTHERS = {
  '/': 'application/json',
  '/health/live': 'application/json',
  '/health/ready': 'application/json',
};

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start();
});
afterAll(() => petstore.stop());

/** A response with its raw body, because other clients decode it. */
function get(path: string, headers: Record<string, string> = {}) {
  const { port } = petstore.app.getHttpServer().address() as AddressInfo;
  return new Promise<{ status?: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    request({ port, path, headers, agent: false }, (response) => {
      response.toArray().then((chunks: Buffer[]) => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
      }, reject);
    })
      .on('error', reject)
      .end();
  });
}

/** The message names the path, which may look like one of the service's own files. */
function expectCode(response: RawResponse, status: number, code: string): void {
  expect({ status: response.status, ...(JSON.parse(response.body) as object) }).toMatchObject({
    status,
    code,
  });
  expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
}

describe.each(Object.entries(FILES))('GET %s', (path, type) => {
  it(`is served as ${type} without a key, and not counted`, async () => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(headers['content-length']).toBe(String(body.length));
    expect(body.length).toBeGreaterThan(100);
    expect(headers['x-request-id']).toBeDefined();
    expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
  });

  it('is 304 for a client with the current version', async () => {
    const { etag = '', ...headers } = (await get(path)).headers;
    expect(headers['cache-control']).toBe('no-cache');
    const again = await get(path, { 'If-None-Match': etag });
    expect(again).toMatchObject({ status: 304, headers: { etag, 'cache-control': 'no-cache' } });
    expect(again.body).toHaveLength(0);
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  });
});

describe.each(Object.keys({ ...FILES, ...OTHERS, '/metrics': '' }))('%s', (path) => {
  const ALLOW = 'GET, HEAD, OPTIONS';

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])('refuses %s with 405 and Allow', async (method) => {
    const response = await send(petstore, { path, method });
    expectCode(response, 405, 'method_not_allowed');
    expect(valuesOf(response, 'Allow')).toEqual([ALLOW]);
    expect(valuesOf(response, 'X-Request-Id')).toHaveLength(1);
  });
});

describe('/docs', () => {
  it.each(PAGE)('serves %s without a key, and does not count it', async (path) => {
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(headers['x-request-id']).toBeDefined();
    expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
  });

  it('has files for good that the page names with their version', async () => {
    const page = (await get('/docs')).body.toString();
    const addresses = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => `/${address}`);
    expect(addresses).toHaveLength(5);
    for (const path of addresses) {
      const file = await get(path);
      expect([path, file.status, file.headers['cache-control']]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ]);
      // As asked by a page of another version, during an upgrade.
      const other = await get(path.replace(/v=.*/, 'v=other'));
      expect([other.status, other.headers['cache-control']]).toEqual([200, 'no-cache']);
      expect(other.body.equals(file.body)).toBe(true); // toEqual() takes a second for a megabyte
    }
  });

  it.each(['/docs', '/docs/swagger-ui-bundle.js', '/docs/theme.css', ...Object.keys(FILES)])(
    'compresses %s for a client that accepts it, with a version of its own',
    async (path) => {
      const plain = await get(path);
      const { headers, body } = await get(path, { 'Accept-Encoding': 'br, gzip' });
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
      expect(gunzipSync(body).equals(plain.body)).toBe(true);
      expect(headers.etag).not.toBe(plain.headers.etag);
      const { etag = '' } = headers;
      expect((await get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': etag })).status).toBe(304);
    },
  );

  it.each([
    'nope',
    'package.json',
    'swagger-ui.js',
    'swagger-ui-bundle.js.map',
    'index.html',
    '__proto__',
    '..%2fpackage.json',
  ])('refuses /docs/%s with 404', async (name) => {
    expectCode(await send(petstore, { path: `/docs/${name}` }), 404, 'route_not_found');
  });
});

describe.each(['/openapi.json', '/openapi.yaml'])('%s', (path) => {
  it('may be read by a page of any origin', async () => {
    const response = await send(petstore, { path, headers: [['Origin', 'https://tool.example']] });
    expect(response.status).toBe(200);
    expect(valuesOf(response, 'Access-Control-Allow-Origin')).toEqual(['*']);
  });
});

describe('GET /', () => {
  it.each([
    'text/html',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  ])('redirects a browser to the documentation (%s)', async (accept) => {
    const response = await send(petstore, { path: '/', headers: [['Accept', accept]] });
    expect(response.status).toBe(302);
    expect(valuesOf(response, 'Location')).toEqual(['/docs']);
    expect(valuesOf(response, 'Vary')).toEqual(['Accept']);
  });

  it.each([[], [['Accept', '*/*'] as const], [['Accept', 'application/json'] as const]])(
    'gives any other client links that work',
    async (...headers) => {
      const response = await send(petstore, { path: '/', headers });
      expect(response.status).toBe(200);
      expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
      const links = JSON.parse(response.body) as Record<string, string>;
      expect(links).toEqual({
        name: SERVICE.title,
        openapi: 'http://petstore.test/openapi.json',
        docs: 'http://petstore.test/docs',
      });
      for (const link of [links.openapi, links.docs]) {
        const { pathname } = new URL(String(link));
        await becomes(async () => (await send(petstore, { path: pathname })).status, 200); // readiness may exceed its second
      }
    },
  );
});

describe('with a path in PUBLIC_URL, which a proxy removes', () => {
  let proxied: Petstore;
  beforeAll(async () => {
    proxied = await Petstore.start({
      modules: [ItemsModule],
      env: { PUBLIC_URL: 'https://api.example.com/shop' },
    });
  });
  afterAll(() => proxied.stop());

  it('redirects a browser to the documentation below the path', async () => {
    const response = await send(proxied, { path: '/', headers: [['Accept', 'text/html']] });
    expect(valuesOf(response, 'Location')).toEqual(['/shop/docs']);
  });

  it('returns the Location of a new resource below the path', async () => {
    const headers = [bearer(await proxied.key()), ['Content-Type', 'application/json']] as const;
    const body = '{"name":"Rex","amount":1}';
    const response = await send(proxied, { method: 'POST', headers, body });
    expect(valuesOf(response, 'Location').join()).toMatch(/^\/shop\/v1\/items\/\d+$/);
  });
});

describe('OPTIONS *', () => {
  it('names the methods that the server supports', async () => {
    const response = await send(petstore, { path: '*', method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(valuesOf(response, 'Allow').join()).toMatch(/\bGET\b.*\bPOST\b/);
  });
});
