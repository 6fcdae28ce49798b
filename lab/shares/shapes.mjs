import { brotliCompressSync, constants } from 'node:zlib';

/** The requests of a burst, as bytes for one connection each. `key` is that of the attacker; `n` counts the connections. */
const head = (method, path, headers = []) =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
const bearer = (key) => `Authorization: Bearer ${key}`;
const get =
  (path, ...headers) =>
  (key) =>
    head('GET', path, [bearer(key), ...headers]);
const json = (method, path, body, ...headers) =>
  head(method, path, [
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]) + body;
const post =
  (body, ...headers) =>
  (key, n) =>
    json(
      'POST',
      '/v1/pets',
      typeof body === 'function' ? body(n) : body,
      bearer(key),
      ...headers.map((line) => line.replace('#', n)),
    );
const chunked = (chunks, ...headers) =>
  head('POST', '/v1/pets', ['Content-Type: application/json', 'Transfer-Encoding: chunked', ...headers]) +
  chunks;
const members = (count) => `{${Array.from({ length: count }, (_, i) => `"a${i}":1`).join()}}`;
const pet = '{"name":"Rex","categoryId":1}';
const bomb = brotliCompressSync(Buffer.alloc(10_000_000, ' '), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
});

/** @type {Record<string, { bytes: (key: string, n: number) => string | Buffer, after?: 'reset' | 'end', hold?: true }>} */
export const SHAPES = {
  lists: { bytes: get('/v1/pets?limit=20') },
  'lists, newest first': { bytes: get('/v1/pets?limit=20&sort=-id') },
  'ids of 100 pets': {
    bytes: get(`/v1/pets?limit=100&ids=${Array.from({ length: 100 }, (_, i) => i + 1).join()}`),
  },
  events: { bytes: get('/v1/events?limit=100') },
  creations: { bytes: post(pet) },
  'creations, different Idempotency-Keys': { bytes: post(pet, 'Idempotency-Key: key-#') },
  'creations, one Idempotency-Key': { bytes: post(pet, 'Idempotency-Key: one') },
  'changes of one pet': {
    bytes: (key, n) => json('PATCH', '/v1/pets/1', `{"name":"Rex ${n}"}`, bearer(key)),
  },
  'aborted after 3 ms': { bytes: post(pet), after: 'reset' },
  'half-closed': { bytes: get('/v1/pets?limit=20'), after: 'end' },
  '1,300 unknown members': { bytes: post(members(1_300)) },
  'nested arrays': { bytes: post(`{"name":${'['.repeat(30)}${']'.repeat(30)}}`) },
  '16 KiB of fractions': { bytes: post(`{"name":[${'1.0,'.repeat(900)}1]}`) },
  'brotli bombs': {
    bytes: (key) =>
      Buffer.concat([
        Buffer.from(
          head('POST', '/v1/pets', [
            bearer(key),
            'Content-Type: application/json',
            'Content-Encoding: br',
            `Content-Length: ${bomb.length}`,
          ]),
        ),
        bomb,
      ]),
  },
  'a Content-Type of 15,500 semicolons': {
    bytes: (key) =>
      head('POST', '/v1/pets', [
        bearer(key),
        `Content-Type: application/json${';'.repeat(15_500)}`,
        'Content-Length: 2',
      ]) + '{}',
  },
  'a query of 7,900 names': { bytes: get(`/v1/pets?${'a&'.repeat(7_900)}`) },
  '1,800 headers': { bytes: (key) => head('GET', '/v1/pets', [bearer(key), ...Array(1_800).fill('a:b')]) },
  '7,900 path segments': { bytes: get(`/v1${'/a'.repeat(7_900)}`) },
  '404 under /v1': { bytes: get('/v1/nothing') },
  429: { bytes: get('/v1/pets'), exhausted: true },
  'tiny chunks': { bytes: (key) => chunked(`${'1\r\n \r\n'.repeat(16_000)}0\r\n\r\n`, bearer(key)) },
  '4,000 tiny chunks, and no end': {
    bytes: (key) => chunked('1\r\n \r\n'.repeat(4_000), bearer(key)),
    hold: true,
  },
  'tiny chunks without a key': { bytes: () => chunked(`${'1\r\n \r\n'.repeat(16_000)}0\r\n\r\n`) },
  'not HTTP': { bytes: () => 'hello world\r\n\r\n' },
  'GET / with 16 KiB of Accept': { bytes: () => head('GET', '/', [`Accept: ${'a/b;q=0.1,'.repeat(1_550)}`]) },
  '/docs with 16 KiB of Accept-Encoding': {
    bytes: () => head('GET', '/docs/', [`Accept-Encoding: ${'a;q=0.1,'.repeat(1_900)}`]),
  },
  '/openapi.json with 16 KiB of If-None-Match': {
    bytes: () => head('GET', '/openapi.json', [`If-None-Match: ${'"a",'.repeat(3_900)}"b"`]),
  },
  '/openapi.json': { bytes: () => head('GET', '/openapi.json', ['Accept-Encoding: gzip']) },
};

/** Packets of pipelined requests, over fewer connections. */
export const PACKETS = {
  '10 packets of 1,306 lists with a body': {
    count: 10,
    bytes: () => 'GET /v1/p HTTP/1.1\r\nHost:a\r\nContent-Length:1\r\n\r\na'.repeat(1_306),
  },
  '10 packets of 400 requests with 33 header lines': {
    count: 10,
    bytes: () => head('GET', '/a', Array(33).fill('a:b')).repeat(400),
  },
  '10 packets of 1,000 lists': { count: 10, bytes: (key) => get('/v1/pets?limit=1')(key).repeat(1_000) },
  '10 packets of 2,400 GET /': { count: 10, bytes: () => head('GET', '/').repeat(2_400) },
  '10 packets of 2,000 404s': { count: 10, bytes: () => head('GET', '/a').repeat(2_000) },
  '400 packets of 1,500 GET /health/ready': {
    count: 400,
    bytes: () => head('GET', '/health/ready').repeat(1_500),
  },
};
