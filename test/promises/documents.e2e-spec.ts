import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ItemsModule } from '../items/items.module.js';
import { Petstore } from '../support/petstore.js';
import { bearer, type RawResponse, send, valuesOf } from '../support/wire.js';

const FILES = {
  '/docs': 'text/html; charset=utf-8',
  '/docs/': 'text/html; charset=utf-8',
  '/docs/swagger-ui.css': 'text/css; charset=utf-8',
  '/docs/theme.css': 'text/css; charset=utf-8',
  '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  '/docs/swagger-ui-init.js': 'text/javascript; charset=utf-8',
  '/docs/document.json': 'application/json',
  '/docs/errors': 'text/html; charset=utf-8',
  '/docs/favicon-32x32.png': 'image/png',
  '/reference': 'text/html; charset=utf-8',
  '/reference/': 'text/html; charset=utf-8',
  '/reference/reference.css': 'text/css; charset=utf-8',
  '/reference/redoc.standalone.js': 'text/javascript; charset=utf-8',
  '/reference/reference-init.js': 'text/javascript; charset=utf-8',
  '/openapi.json': 'application/json',
  '/openapi.yaml': 'application/yaml',
};
const OTHERS = {
  '/': 'application/json',
  '/health/live': 'application/json',
  '/health/ready': 'application/json',
};
const CODINGS = { gzip: gunzipSync, br: brotliDecompressSync };

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
    expect(headers['cache-control']).toBe('private, no-cache');
    const again = await get(path, { 'If-None-Match': etag });
    expect(again).toMatchObject({ status: 304, headers: { etag, 'cache-control': 'private, no-cache' } });
    expect(again.body).toHaveLength(0);
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('has the same length to HEAD', async () => {
    const length = String((await get(path)).body.length);
    const response = await send(petstore, { path, method: 'HEAD' });
    expect(response).toMatchObject({ status: 200, body: '' });
    expect(valuesOf(response, 'Content-Length')).toEqual([length]);
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

  it('responds to OPTIONS with 204 and Allow', async () => {
    const response = await send(petstore, { path, method: 'OPTIONS' });
    expect(response).toMatchObject({ status: 204, body: '' });
    expect(valuesOf(response, 'Allow')).toEqual([ALLOW]);
  });
});

describe('a document', () => {
  it.each(Object.entries(CODINGS))('is sent as %s to a client that accepts it', async (coding, decode) => {
    for (const path of ['/docs/swagger-ui-bundle.js', '/openapi.json', '/openapi.yaml']) {
      const plain = await get(path);
      const coded = await get(path, { 'Accept-Encoding': coding });
      expect(coded.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
      expect(coded.headers.etag).not.toBe(plain.headers.etag);
      expect(coded.body.length).toBeLessThan(plain.body.length / 2);
      expect(decode(coded.body).equals(plain.body)).toBe(true);
    }
  });

  it('is sent in the encoding that the client prefers', async () => {
    const coding = async (accepted: string) =>
      (await get('/docs/swagger-ui.css', { 'Accept-Encoding': accepted })).headers['content-encoding'];
    expect(await coding('gzip, deflate, br')).toBe('br');
    expect(await coding('gzip;q=0.5')).toBe('gzip');
    expect(await coding('br;q=0')).toBeUndefined();
    expect(await coding('zstd')).toBeUndefined();
  });
});

describe('/docs', () => {
  it.each([
    'package.json',
    'swagger-ui-bundle.js.map',
    'swagger-ui.css.map',
    'swagger-ui-es-bundle.js',
    'absolute-path.js',
    'README.md',
    'toString',
    '__proto__',
    '..%2fpackage.json',
    '.',
  ])('serves only the files of the page, and no %s', async (name) => {
    expectCode(await send(petstore, { path: `/docs/${name}` }), 404, 'route_not_found');
  });

  it('serves the licences that its script refers to', async () => {
    const { body } = await get('/docs/swagger-ui-bundle.js');
    expect(body.toString('latin1', 0, 200)).toContain('swagger-ui-bundle.js.LICENSE.txt');
    const licences = await get('/docs/swagger-ui-bundle.js.LICENSE.txt');
    expect(licences.status).toBe(200);
    expect(licences.body.toString()).toContain('license');
  });
});

describe.each(['/openapi.json', '/openapi.yaml'])('%s', (path) => {
  it('may be read by a page of any origin', async () => {
    const response = await send(petstore, { path, headers: [['Origin', 'https://tool.example']] });
    expect(response.status).toBe(200);
    expect(valuesOf(response, 'Access-Control-Allow-Origin')).toEqual(['*']);
  });

  it('may be read by a page of any origin where CORS is configured, too', async () => {
    const others = await Petstore.start({ env: { CORS_ORIGINS: 'https://app.example.com' } });
    for (const origin of ['https://tool.example', 'https://app.example.com']) {
      const response = await send(others, { path, headers: [['Origin', origin]] });
      expect(valuesOf(response, 'Access-Control-Allow-Origin')).toEqual(['*']);
    }
    await others.stop();
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
        name: 'Pet Store',
        openapi: 'http://petstore.test/openapi.json',
        docs: 'http://petstore.test/docs',
        health: 'http://petstore.test/health/ready',
      });
      for (const link of [links.openapi, links.docs, links.health]) {
        const { pathname } = new URL(String(link));
        expect((await send(petstore, { path: pathname })).status).toBe(200);
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
