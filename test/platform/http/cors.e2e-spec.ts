import { inlined } from '../../support/inlined.js';
import { Petstore } from '../../support/petstore.js';
import { expectPromisedHeaders } from '../../support/promises.js';
import { type RawResponse, bearer, type Message, send, valuesOf } from '../../support/wire.js';

const ORIGIN = 'https://app.example.com';
const PREFLIGHT = [
  ['Access-Control-Request-Method', 'POST'],
  ['Access-Control-Request-Headers', 'authorization,content-type'],
] as const;

let petstore: Petstore;
let key: string;

async function start(origins?: string): Promise<void> {
  petstore = await Petstore.start({ env: origins === undefined ? {} : { CORS_ORIGINS: origins } });
  key = await petstore.key();
}

const preflight = (origin: string, message: Message = {}) =>
  send(petstore, { method: 'OPTIONS', headers: [['Origin', origin], ...PREFLIGHT], ...message });
const call = (origin: string, ...headers: NonNullable<Message['headers']>) =>
  send(petstore, { headers: [['Origin', origin], ...headers] });

const corsHeaders = ({ headers }: RawResponse): string[] =>
  headers.map(([name]) => name.toLowerCase()).filter((name) => name.startsWith('access-control-'));
const allowedOrigin = (response: RawResponse): string[] => valuesOf(response, 'Access-Control-Allow-Origin');
/** The response headers in the OpenAPI document. */
async function documentedHeaders(): Promise<string[]> {
  const { body } = await send(petstore, { path: '/openapi.json' });
  const { paths } = inlined(JSON.parse(body) as { readonly paths: Documented });
  const names = new Set<string>();
  const visit = (part: Documented): void => {
    Object.keys(part.headers ?? {}).forEach((name) => names.add(name));
    for (const inner of Object.values(part)) if (typeof inner === 'object' && inner !== null) visit(inner);
  };
  visit(paths);
  return [...names];
}
interface Documented {
  readonly headers?: object;
}
const remaining = (response: RawResponse): number => Number(valuesOf(response, 'X-RateLimit-Remaining')[0]);

describe('without CORS_ORIGINS', () => {
  beforeAll(() => start());
  afterAll(() => petstore.stop());

  it('no page may send requests', async () => {
    expect(corsHeaders(await call(ORIGIN, bearer(key)))).toEqual([]);
    const response = await preflight(ORIGIN);
    expect(corsHeaders(response)).toEqual([]);
    expectPromisedHeaders(response);
  });
});

describe('the log', () => {
  const noted = () =>
    petstore.log.map(({ msg }) => String(msg)).filter((msg) => msg.includes('CORS_ORIGINS does not name'));

  beforeAll(async () => {
    petstore = await Petstore.start({
      env: { CORS_ORIGINS: ORIGIN, PUBLIC_URL: 'https://petstore.example' },
    });
    key = await petstore.key();
  });
  afterAll(() => petstore.stop());

  it('names an origin that is refused, at most once a minute, and at most 100 characters of it', async () => {
    const url = `https://${'long.'.repeat(100)}example`;
    for (const origin of ['https://other.example', 'https://third.example']) {
      await call(origin, bearer(key));
      await preflight(origin);
    }
    expect(noted()).toEqual([
      'Pages of https://other.example cannot call the service: CORS_ORIGINS does not name this origin.',
    ]);
    petstore.clock.advance(60_000);
    await call(url);
    await call('https://other.example');
    expect(noted().slice(1)).toEqual([expect.stringContaining(`Pages of ${url.slice(0, 100)} cannot`)]);
  });

  it('names neither an allowed origin nor one of the service, and none of what every page may read', async () => {
    const before = noted().length;
    petstore.clock.advance(60_000);
    for (const origin of [
      ORIGIN,
      'https://petstore.example',
      'http://petstore.test',
      'https://petstore.test',
    ])
      await call(origin, bearer(key));
    await send(petstore, { path: '/openapi.json', headers: [['Origin', 'https://other.example']] });
    expect(noted()).toHaveLength(before);
  });
});

describe('with CORS_ORIGINS', () => {
  beforeAll(() => start(`${ORIGIN}, http://localhost:8080`));
  afterAll(() => petstore.stop());

  it.each([ORIGIN, 'http://localhost:8080'])('a page of %s may send requests', async (origin) => {
    const response = await preflight(origin);
    expect({ status: response.status, body: response.body }).toEqual({ status: 204, body: '' });
    expect(allowedOrigin(response)).toEqual([origin]);
    expect(valuesOf(response, 'Access-Control-Allow-Methods').join()).toMatch(/\bPOST\b/);
    expect(valuesOf(response, 'Access-Control-Allow-Headers').join()).toBe('authorization,content-type');
    expect(valuesOf(response, 'Vary').join()).toMatch(/\bOrigin\b/);
    expectPromisedHeaders(response);
  });

  it('a page may read the documented headers', async () => {
    const response = await call(ORIGIN, bearer(key));
    expect(response.status).toBe(200);
    expect(allowedOrigin(response)).toEqual([ORIGIN]);
    const exposed = valuesOf(response, 'Access-Control-Expose-Headers').join().split(',');
    expect(exposed).toEqual(expect.arrayContaining([...(await documentedHeaders()), 'Allow']));
  });

  it('a page may read that its headers are too long', async () => {
    const response = await call(ORIGIN, ['X-Long', 'x'.repeat(16_384)]);
    expect(response.status).toBe(431);
    expect(allowedOrigin(response)).toEqual([ORIGIN]);
    expect(valuesOf(response, 'Vary')).toEqual(['Origin']);
    expect(allowedOrigin(await call('https://other.example', ['X-Long', 'x'.repeat(16_384)]))).toEqual([]);
  });

  it('cookies are never allowed', async () => {
    expect(valuesOf(await preflight(ORIGIN), 'Access-Control-Allow-Credentials')).toEqual([]);
  });

  it.each(['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'null'])(
    'a page of %s may not',
    async (origin) => {
      expect(allowedOrigin(await preflight(origin))).toEqual([]);
      expect(allowedOrigin(await call(origin, bearer(key)))).toEqual([]);
    },
  );

  it('a preflight does not count towards the limit of its address', async () => {
    const before = remaining(await preflight(ORIGIN));
    for (let i = 0; i < 40; i++) expect((await preflight(ORIGIN)).status).toBe(204);
    expect(remaining(await call(ORIGIN))).toBe(before - 1);
  });

  it('a preflight succeeds even if its address is exhausted, because the actual request has a key', async () => {
    while ((await call(ORIGIN)).status !== 429);
    expect((await preflight(ORIGIN)).status).toBe(204);
    expect((await call(ORIGIN, bearer(key))).status).toBe(200);
  });
});
