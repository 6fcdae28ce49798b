import fc from 'fast-check';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { bodyBytes, target } from './values.mjs';

const CODERS = {
  identity: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  zstd: (bytes) => bytes,
  'gzip, gzip': (bytes) => gzipSync(gzipSync(bytes)),
  cut: (bytes) => gzipSync(bytes).subarray(0, 15),
  bomb: () => BOMB,
  lie: (bytes) => bytes,
};
const BOMB = gzipSync(Buffer.alloc(50_000_000));
const CODING_NAMES = { cut: 'gzip', bomb: 'gzip', lie: 'gzip' };

/** Node.js refuses longer heads, and drops earlier pipelined requests that have no response yet. */
const LONGEST_HEAD = 16_000;

const JSON_TYPE = 'application/json';
const contentType = fc.oneof(
  { weight: 8, arbitrary: fc.constant(JSON_TYPE) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        'application/json; charset=utf-8',
        'application/json; charset=utf-16',
        'application/json;charset=latin1',
      ],
      ...[
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
        '',
        ';;;',
      ],
      ...[
        'application/json; charset',
        `application/json;${' '.repeat(5_000)};`,
        `application/json${';a=b'.repeat(1_500)}`,
      ],
    ),
  },
);

/** Excludes CR, LF and NUL, which would start another header or not be HTTP. */
const headerValue = fc.oneof(
  fc
    .uint8Array({ min: 0x20, max: 0xff, maxLength: 40 })
    .map((bytes) => Buffer.from(bytes).toString('latin1').replace('\x7f', '')),
  fc.constantFrom(
    '',
    '*/*',
    '"',
    '""',
    '"a"',
    'a, b',
    '"a";b=1',
    'W/"x"',
    'é',
    '{}',
    '1, 2',
    `${'"a",'.repeat(1_500)}*`,
  ),
  fc.constantFrom(
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(7_000),
    `${'1.1.1.1,'.repeat(800)}x`,
    'a=b;'.repeat(1_500),
  ),
);

const moreHeaders = fc.array(
  fc.tuple(
    fc.constantFrom(
      ...[
        'Accept',
        'Idempotency-Key',
        'X-Request-Id',
        'X-Forwarded-For',
        'If-None-Match',
        'Range',
        'Cookie',
        'Origin',
      ],
      ...[
        'Expect',
        'traceparent',
        'X-HTTP-Method-Override',
        'Forwarded',
        'Accept-Encoding',
        'TE',
        'Trailer',
        '__proto__',
      ],
      ...['constructor', 'Access-Control-Request-Method', 'Date', 'Via', 'Referer', 'User-Agent'],
    ),
    headerValue,
  ),
  { maxLength: 3 },
);

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GET', 'POST', 'POST') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'HEAD',
      'OPTIONS',
      'PUT',
      'PATCH',
      'DELETE',
      'TRACE',
      'PROPFIND',
      'QUERY',
      'M-SEARCH',
    ),
  },
);

const anything = fc.record({
  method,
  target,
  key: fc.oneof(
    { weight: 9, arbitrary: fc.constant('valid') },
    fc.constantFrom('none', 'wrong', 'basic', 'long', 'empty', 'twice'),
  ),
  type: contentType,
  coding: fc.oneof(
    { weight: 6, arbitrary: fc.constant('identity') },
    fc.constantFrom(...Object.keys(CODERS)),
  ),
  body: fc.option(bodyBytes, { freq: 4 }),
  chunks: fc.option(fc.integer({ min: 1, max: 5_000 }), { freq: 4 }),
  more: moreHeaders,
});

/** A creation that gets as far as its body. */
const creation = anything.chain((one) =>
  bodyBytes.map((body) => ({
    ...one,
    body,
    method: 'POST',
    target: '/v1/pets',
    key: 'valid',
    type: JSON_TYPE,
  })),
);
const plainCreation = creation.map((one) => ({ ...one, coding: 'identity', more: [] }));

const whole = fc.oneof(
  { weight: 3, arbitrary: anything },
  { weight: 2, arbitrary: creation },
  { weight: 2, arbitrary: plainCreation },
);

/** Contradictory or truncated framing. The service may refuse it or close the connection, but must not hang. */
const broken = fc.constantFrom(
  'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Content-Length: 5\r\nContent-Length: 6\r\n\r\n123456',
  'Content-Length: 5, 5\r\n\r\n12345',
  'Content-Length: -1\r\n\r\n',
  'Content-Length: 1e3\r\n\r\n',
  'Content-Length: 99999999999999999999\r\n\r\n',
  'Content-Length: 100\r\n\r\n{"name":',
  'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\nzz\r\n',
  'Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam',
  'Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}',
  'Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\nX: y\r\n\r\n',
  `X-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
  `${Array.from({ length: 2_100 }, (_, i) => `X-${i}: 1\r\n`).join('')}\r\n`,
  'X Y: 1\r\n\r\n',
  ': 1\r\n\r\n',
  'X: a\0b\r\n\r\n',
  ' folded\r\n\r\n',
  '\n\n\r\n\r\n',
  '',
);

const startLine = fc.constantFrom(
  ...['POST /v1/pets HTTP/1.1', 'POST /v1/pets HTTP/1.1', 'GET /v1/pets HTTP/1.1', 'GET /v1/pets HTTP/1.0'],
  ...[
    'GET /v1/pets HTTP/2.0',
    'GET /v1/pets',
    'get /v1/pets HTTP/1.1',
    'GET  /v1/pets HTTP/1.1',
    'CONNECT a:1 HTTP/1.1',
  ],
  ...[
    'GET /v1/\0 HTTP/1.1',
    'GET /v1/\xff HTTP/1.1',
    'PRI * HTTP/2.0',
    '\x16\x03\x01\x02',
    'x'.repeat(20_000),
  ],
);

/** Complete requests, pipelined. */
const pipelined = (requests, key) => {
  const messages = requests.map((one) => messageOf(one, key));
  return {
    isHttp: messages.every(({ head }) => head.length <= LONGEST_HEAD),
    isCut: false,
    methods: requests.map(({ method }) => method),
    targets: requests.map(({ target }) => target),
    bytes: Buffer.concat(messages.flatMap(({ head, content }) => [head, ...content])),
  };
};

/** A request small enough for many to fit into one packet. */
const small = fc.record({
  method: fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS', 'POST'),
  target: fc.constantFrom(
    ...['/v1/pets?limit=100', '/v1/pets/1', '/v1/rate-limit', '/docs', '/docs/swagger-ui-bundle.js'],
    ...['/openapi.yaml', '/openapi.json', '/metrics', '/health/ready', '/', '/nope'],
  ),
  key: fc.constantFrom('valid', 'valid', 'valid', 'none', 'wrong'),
  type: fc.constant(JSON_TYPE),
  coding: fc.constant('identity'),
  body: fc.constant(null),
  chunks: fc.constant(null),
  more: fc.constant([]),
});

/** When a client disconnects without reading everything. */
const leaving = fc.record({
  after: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 200_000 })),
  isReset: fc.boolean(),
});

/**
 * The content of one connection: complete requests, few or many, whose responses the client reads fully or not; or one
 * broken request.
 */
export const exchanges = (key) =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.array(whole, { minLength: 1, maxLength: 3 }).map((requests) => pipelined(requests, key)),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.oneof({ weight: 5, arbitrary: small }, whole), { minLength: 4, maxLength: 60 })
        .map((requests) => pipelined(requests, key)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.array(fc.oneof({ weight: 3, arbitrary: small }, whole), { minLength: 1, maxLength: 60 }),
          leaving,
        )
        .map(([requests, when]) => ({ ...pipelined(requests, key), leaving: when })),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(startLine, broken, fc.boolean()).map(([line, rest, hasKey]) => ({
        isHttp: false,
        isCut: true,
        methods: ['GET'],
        targets: [line.startsWith('CONNECT') ? '*' : '/v1/pets'], // CONNECT does not target a path, so it has no quota
        bytes: Buffer.from(
          `${line}\r\nHost: petstore.test\r\n${hasKey ? `Authorization: Bearer ${key}\r\n` : ''}${rest}`,
          'latin1',
        ),
      })),
    },
  );

function messageOf({ method, target, key, type, coding, body, chunks, more }, secret) {
  const content = body === null ? undefined : CODERS[coding](body);
  const headers = [['Host', 'petstore.test'], ...authorization(key, secret), ...more];
  if (content) {
    headers.push(['Content-Type', type]);
    if (coding !== 'identity') headers.push(['Content-Encoding', CODING_NAMES[coding] ?? coding]);
    headers.push(chunks === null ? ['Content-Length', content.length] : ['Transfer-Encoding', 'chunked']);
  }
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return {
    head: Buffer.from(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1'),
    content: content ? (chunks === null ? [content] : [...chunked(content, chunks)]) : [],
  };
}

function* chunked(content, size) {
  for (let at = 0; at < content.length; at += size) {
    const chunk = content.subarray(at, at + size);
    yield Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
  }
  yield Buffer.from('0\r\n\r\n');
}

function authorization(key, secret) {
  const valid = ['Authorization', `Bearer ${secret}`];
  switch (key) {
    case 'none':
      return [];
    case 'wrong':
      return [['Authorization', `Bearer ${secret.slice(0, -1)}!`]];
    case 'basic':
      return [['Authorization', 'Basic dXNlcjpwYXNz']];
    case 'long':
      return [['Authorization', `Bearer ${' '.repeat(4_000)}${'x'.repeat(3_000)}`]];
    case 'empty':
      return [['Authorization', '']];
    case 'twice':
      return [valid, valid];
    default:
      return [valid];
  }
}
