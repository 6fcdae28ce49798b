import fc from 'fast-check';

const DEPTH = 51_000;

/** Valid and almost valid JSON. */
const jsonText = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 6 }) },
  { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }).map((text) => JSON.stringify(text)) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\u0000"',
        '"\u202egpj.exe"',
        '"a\\u200d"',
        '"\\ufeff"',
        '""',
        '" "',
      ],
      ...['null', 'true', '[]', '{}', '[[[[[]]]]]', '{"a":{"b":[]}}', 'undefined', 'NaN', '-Infinity', "'x'"],
    ),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        '9223372036854775807',
        '9223372036854775808',
        '-9223372036854775808',
        '-9223372036854775809',
        '-0',
        '1.0',
      ],
      ...[
        '1e1',
        '1e400',
        '-1e400',
        '1e-400',
        '1e99999999',
        '9007199254740993',
        '01',
        '.5',
        '0x10',
        '1n',
        '--1',
      ],
    ),
  },
  { weight: 2, arbitrary: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      `1${'0'.repeat(50_000)}`,
      `0.${'0'.repeat(50_000)}1`,
      '['.repeat(DEPTH),
      '['.repeat(DEPTH) + ']'.repeat(DEPTH),
      '{"a":'.repeat(15_000) + '1' + '}'.repeat(15_000),
      `"${'x'.repeat(90_000)}"`,
      `"${'\\ud83d'.repeat(15_000)}"`,
      `{${Array.from({ length: 9_000 }, (_, i) => `"a${i}":1`).join()}}`,
    ),
  },
);

const memberName = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'name',
      'categoryId',
      'status',
      'id',
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'then',
      '',
      'length',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

const goodName = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 201 })
  .map((text) => JSON.stringify(text));
const goodId = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);

/** Objects, some with duplicate properties, and any other text. */
const bodyText = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(goodName, goodId).map(([name, id]) => `{"name":${name},"categoryId":${id}}`),
  },
  {
    weight: 6,
    arbitrary: fc
      .array(fc.tuple(memberName, jsonText), { maxLength: 6 })
      .map((properties) => `{${properties.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(memberName, jsonText)
      .map(([name, json]) => `{"name":"Rex","categoryId":1,${JSON.stringify(name)}:${json}}`),
  },
  { weight: 2, arbitrary: jsonText },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '{', '{"name":', '{"name":"Rex","categoryId":1}{}', '\ufeff{}', ' '),
  },
);

/** Bodies as bytes, with invalid UTF-8 in the middle or completely random. */
export const bodyBytes = fc.oneof(
  { weight: 8, arbitrary: bodyText.map((text) => Buffer.from(text)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        bodyText,
        fc.constantFrom('ff', 'e282', 'c080', 'eda080', 'f4908080', '00', 'fffe'),
        fc.nat({ max: 40 }),
      )
      .map(([text, hex, at]) => splice(Buffer.from(text), at, Buffer.from(hex, 'hex'))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: bodyText.map((text) => Buffer.from(text, 'utf16le')) },
);

const splice = (bytes, at, more) => Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);

/** Paths and queries, percent-encoded or not. */
const segment = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'pets',
      'store',
      'orders',
      'rate-limit',
      '1',
      '-1',
      '9223372036854775808',
      'Pets',
      '..',
      '.',
      '',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '%00',
      '%zz',
      '%',
      '%ff',
      '%e2%82',
      '%2e%2e%2f',
      '%0d%0aX-A:%201',
      '%ed%a0%80',
      'a;b=c',
      "1'%20OR%201=1",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme-composite', maxLength: 20 }).map(encodeURIComponent) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a'.repeat(8_000), '1'.repeat(8_000), 'a/'.repeat(4_000), '/'.repeat(8_000)),
  },
);

const parameter = fc
  .tuple(
    fc.constantFrom(
      ...[
        'limit',
        'status',
        'cursor',
        'limit[]',
        'limit[0]',
        'status[a][b]',
        '__proto__',
        'constructor',
        'toString',
      ],
      ...['', '%zz', '%00', 'colour', 'limit%5B%5D', 'x'.repeat(5_000)],
    ),
    fc.constantFrom(
      ...[
        '=1',
        '=100',
        '=0',
        '=1e1',
        '=%ff',
        '=%00',
        '=sold',
        '=available',
        '=',
        '',
        '=AAAAAAAAAALgPjVv4YPgXw',
        '=a;b',
      ],
      ...['=%F0%9F%90%B6', '=1%20', '=+1', `=${'x'.repeat(5_000)}`, '=%zz'],
    ),
  )
  .map(([name, value]) => name + value);

export const target = fc
  .tuple(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constantFrom('/v1/pets', '/v1/pets/1', '/v1/store/orders', '/v1/rate-limit'),
      },
      { weight: 4, arbitrary: fc.array(segment, { maxLength: 4 }).map((path) => `/v1/${path.join('/')}`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('/', '*', '//', '/v1', 'http://petstore.test/v1/pets', '/v1?x', '/nope'),
      },
    ),
    fc.oneof(
      { weight: 8, arbitrary: fc.array(parameter, { maxLength: 3 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          Array(3_000).fill('a=1'),
          Array(3_000).fill(''),
          Array(1_500).fill('limit=1'),
        ),
      },
    ),
  )
  .map(([path, query]) => (query.length > 0 ? `${path}?${query.join('&')}` : path).slice(0, 14_000));
