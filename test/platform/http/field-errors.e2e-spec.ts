import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { bearer, type Message, send } from '../../support/wire.js';

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule] });
  key = await petstore.key();
});
afterAll(() => petstore.stop());

interface Body {
  readonly message: string;
  readonly details?: readonly unknown[];
}

async function refused(message: Message): Promise<Body> {
  const headers = [bearer(key), ['Content-Type', 'application/json'], ...(message.headers ?? [])] as const;
  const { status, body } = await send(petstore, { ...message, headers });
  expect({ status, body }).toMatchObject({ status: 400 });
  return JSON.parse(body) as Body;
}
const get = (path: string) => refused({ path });
const post = (body: string) => refused({ method: 'POST', body });

/** A valid body except for the addition, whose duplicate properties take precedence. */
const item = (more: string) => post(`{"name":"Rex","amount":1,${more}}`);

const inBody = (field: string, code: string, message: string) => ({
  in: 'body',
  field,
  pointer: `/${field}`,
  code,
  message,
});
const inQuery = (field: string, code: string, message: string) => ({ in: 'query', field, code, message });

const NOT_AN_INTEGER = inBody('amount', 'format', 'amount must be an integer');

describe('details of a 400', () => {
  it.each([
    ['"name":5', inBody('name', 'type', 'name must be a string, not a number')],
    ['"name":null', inBody('name', 'type', 'name must be a string, not null')],
    ['"name":["a"]', inBody('name', 'type', 'name must be a string, not an array')],
    ['"name":{}', inBody('name', 'type', 'name must be a string, not an object')],
    ['"name":true', inBody('name', 'type', 'name must be a string, not true')],
    ['"name":""', inBody('name', 'length', 'name must have 1 to 200 characters')],
    [`"name":"${'x'.repeat(201)}"`, inBody('name', 'length', 'name must have 1 to 200 characters')],
    ['"name":" \\n"', inBody('name', 'format', 'name must not be only white space')],
    ['"name":"a\\u0000"', inBody('name', 'format', 'name must not contain U+0000 or a lone surrogate')],
    ['"name":"\\ud800"', inBody('name', 'format', 'name must not contain U+0000 or a lone surrogate')],
    ['"amount":"7"', inBody('amount', 'type', 'amount must be an integer, not text')],
    ['"amount":null', inBody('amount', 'type', 'amount must be an integer, not null')],
    ['"amount":1.5', NOT_AN_INTEGER],
    [
      '"amount":9223372036854775808',
      inBody('amount', 'range', 'amount must be from -9223372036854775808 to 9223372036854775807'),
    ],
    ['"status":"lost"', inBody('status', 'enum', 'status must be one of open, held, closed')],
    ['"status":null', inBody('status', 'enum', 'status must be one of open, held, closed')],
    ['"colour":"red"', inBody('colour', 'unknown', 'Unknown property: colour')],
    ['"a/b~c":1', { ...inBody('a/b~c', 'unknown', 'Unknown property: a/b~c'), pointer: '/a~1b~0c' }],
  ])('name the rule that %.40s breaks', async (more, detail) => {
    const { details, message } = await item(more);
    expect(details).toEqual([detail]);
    expect(message).toBe(`${detail.message}.`);
  });

  it('name each property that is missing', async () => {
    expect(await post('{}')).toMatchObject({
      message: 'name is required. amount is required.',
      details: [
        inBody('name', 'required', 'name is required'),
        inBody('amount', 'required', 'amount is required'),
      ],
    });
  });

  it.each(['[]', '"text"', 'null', '5'])('say that %s is not an object', async (body) => {
    expect((await post(body)).details).toEqual([
      { in: 'body', field: 'body', pointer: '', code: 'type', message: 'The body must be a JSON object' },
    ]);
  });

  it.each([
    ['limit=0', inQuery('limit', 'range', 'limit must be from 1 to 100')],
    ['limit=101', inQuery('limit', 'range', 'limit must be from 1 to 100')],
    ['limit=99999999999999999999', inQuery('limit', 'range', 'limit must be from 1 to 100')],
    ['limit=ten', inQuery('limit', 'type', 'limit must be an integer')],
    ['limit=', inQuery('limit', 'type', 'limit must be an integer')],
    ['limit=1&limit=1', inQuery('limit', 'type', 'limit must be given once')],
    ['status=lost', inQuery('status', 'enum', 'status must be one of open, held, closed')],
    ['status=open&status=held', inQuery('status', 'type', 'status must be given once')],
    ['cursor=a&cursor=b', inQuery('cursor', 'type', 'cursor must be given once')],
    ['page=2', inQuery('page', 'unknown', 'Unknown parameter: page')],
  ])('name the rule that ?%s breaks', async (query, detail) => {
    expect((await get(`/v1/items?${query}`)).details).toEqual([detail]);
  });

  it('name a header', async () => {
    const message: Message = {
      method: 'POST',
      headers: [['Idempotency-Key', '"']],
      body: '{"name":"a","amount":1}',
    };
    expect((await refused(message)).details).toEqual([
      {
        in: 'header',
        field: 'Idempotency-Key',
        code: 'format',
        message:
          'Idempotency-Key must be one key of 1 to 255 printable ASCII characters, in quotes if it has spaces',
      },
    ]);
  });

  it('are limited to twenty, and say so', async () => {
    const { details, message } = await item(Array.from({ length: 1_500 }, (_, i) => `"a${i}":1`).join());
    expect(details).toHaveLength(20);
    expect(message).toMatch(/^Unknown property: a0\. .*\. Only the first 20 errors are listed\.$/);
  });

  it('have no pointer if the name is too long', async () => {
    const { details } = await item(`"${'x'.repeat(1_000)}":1`);
    expect(details).toEqual([
      {
        in: 'body',
        field: `${'x'.repeat(100)}…`,
        code: 'unknown',
        message: `Unknown property: ${'x'.repeat(100)}…`,
      },
    ]);
  });
});

it.each([
  ['\ufeff{}', 'The body is not valid JSON: an unexpected byte order mark at line 1, column 1.'],
  ['{"name":}', 'The body is not valid JSON: an unexpected character at line 1, column 9.'],
  ['{\n"name": "Rex",\n}', 'The body is not valid JSON: an unexpected character at line 3, column 1.'],
  ['{"name":"Rex"', 'The body is not valid JSON: an unexpected end at line 1, column 14.'],
  ['['.repeat(40), 'The body is not valid JSON: an unexpected end at line 1, column 41.'],
  ['['.repeat(40) + ']'.repeat(40), 'The body is not valid JSON: a value nested deeper than 32 levels.'],
])('an invalid_json error for %j gives the position', async (body, message) => {
  expect(await post(body)).toMatchObject({ code: 'invalid_json', message });
});
