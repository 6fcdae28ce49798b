import { Body, Controller, Module, Post } from '@nestjs/common';
import { IsInt } from 'class-validator';
import fc from 'fast-check';
import type { Int64 } from '../../../src/platform/index.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorResponse } from '../../support/promises.js';
import { bearer, send, valuesOf } from '../../support/wire.js';
import { AnyKey } from '../../../src/platform/index.js';

const MAX = '9223372036854775807';
const MIN = '-9223372036854775808';

class PointDto {
  @IsInt()
  x!: number;
}

@AnyKey()
@Controller({ path: 'untyped', version: '1' })
class UntypedController {
  @Post('object')
  object(@Body() body: Record<string, unknown>): object {
    return { type: typeof body };
  }

  @Post('array')
  array(@Body() list: unknown[]): object {
    return { type: typeof list };
  }

  @Post('any')
  any(@Body() value: unknown): object {
    return { type: typeof value };
  }

  @Post('number')
  number(@Body('n') n: number): object {
    return { type: typeof (n + 1) };
  }

  @Post('text')
  text(@Body('n') n: string): object {
    return { type: typeof n };
  }

  @Post('list')
  list(@Body('n') n: Int64[]): object {
    return { type: typeof n };
  }

  @Post('dto')
  dto(@Body('n') { x }: PointDto): object {
    return { x };
  }

  @Post('bigint')
  bigint(@Body('n') n: bigint): object {
    return { type: typeof n, n };
  }

  @Post('int64')
  int64(@Body('n') n: Int64): object {
    return { type: typeof n, n };
  }
}

@Module({ controllers: [UntypedController] })
class UntypedModule {}

let petstore: Petstore;
let key: string;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, UntypedModule] });
  key = await petstore.key();
});
afterAll(() => petstore.stop());

const get = (path: string) => send(petstore, { path, headers: [bearer(key)] });

/** Sends digits unchanged, in JSON text that was never parsed as numbers. */
const create = (amount: string, name = 'Rex') =>
  send(petstore, {
    method: 'POST',
    headers: [bearer(key), ['Content-Type', 'application/json']],
    body: `{"name":${JSON.stringify(name)},"amount":${amount}}`,
  });

const amountIn = (body: string): string | undefined => /"amount":([^,}]*)/.exec(body)?.[1];
const idsIn = (body: string): string[] => [...body.matchAll(/"id":([^,}]*)/g)].map(([, id]) => id ?? '');

describe('amount', () => {
  it.each([
    '0',
    '1',
    '-1',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '1000000000000000000',
    '9223372036854775806',
    MAX,
    MIN,
  ])('%s is returned with all digits', async (digits) => {
    const created = await create(digits);
    expect(created.status).toBe(201);
    expect(amountIn(created.body)).toBe(digits);
    expect((await get(`/v1/items/${idsIn(created.body).join()}`)).body).toBe(created.body);
  });

  it('-0 is 0', async () => {
    expect(amountIn((await create('-0')).body)).toBe('0');
  });

  it('is returned with all digits, whatever its value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: BigInt(MIN), max: BigInt(MAX) }), async (number) => {
        const { status, body } = await create(String(number));
        return status === 201 && amountIn(body) === String(number);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused whenever it is out of range', async () => {
    const outside = fc.oneof(
      fc.bigInt({ min: BigInt(MAX) + 1n, max: 10n ** 60n }),
      fc.bigInt({ min: -(10n ** 60n), max: BigInt(MIN) - 1n }),
    );
    await fc.assert(
      fc.asyncProperty(outside, async (number) => (await create(String(number))).status === 400),
      { numRuns: 20 },
    );
  });

  it.each([
    ['1.0', 1],
    ['-0.0', 0],
    ['0e0', 0],
    ['1e1', 10],
    ['1E3', 1000],
    ['1.5e1', 15],
    ['0.0e-400', 0],
    ['100e-2', 1],
  ])('%s is an integer, as in JSON Schema', async (digits, value) => {
    const { status, body } = await create(digits);
    expect({ status, value: (JSON.parse(body) as { amount: number }).amount }).toEqual({
      status: 201,
      value,
    });
  });

  it.each([
    ['9007199254740993.0', '9007199254740993'],
    ['9.223372036854775807e18', MAX],
    ['1e18', '1000000000000000000'],
  ])('%s is the integer %s', async (digits, value) => {
    const { status, body } = await create(digits);
    expect({ status, value: amountIn(body) }).toEqual({ status: 201, value });
  });

  it.each([
    '4503599627370497.5',
    '9007199254740990.9',
    '9223372036854775806.5',
    '5.0000000000000001',
    '0.99999999999999999999',
    '1e-400',
    '-1e-400',
  ])('%s is refused, not rounded', async (digits) => {
    expect(JSON.parse((await create(digits)).body)).toMatchObject({
      status: 400,
      details: [{ field: 'amount', code: 'format', message: 'amount must be an integer' }],
    });
  });

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '18446744073709551615',
    '1.5',
    '1E400',
    '1e-1',
    '9.3e18',
    '"7"',
    `"${MAX}"`,
    'true',
    'null',
    '[7]',
    '{"value":7}',
  ])('%s is refused with 400', async (digits) => {
    const response = await create(digits);
    expectErrorResponse(response, 400, 'validation_failed');
    expect(response.body).toContain('"field":"amount"');
  });
});

describe('an integer beyond 2^53 - 1 in a body without a class', () => {
  const post = (path: string, body: string) =>
    send(petstore, {
      method: 'POST',
      path: `/v1/untyped/${path}`,
      headers: [bearer(key), ['Content-Type', 'application/json']],
      body,
    });

  it.each([
    ['object', '{"n":#}', '/n'],
    ['object', '{"n":[{"m":#}]}', '/n/0/m'],
    ['object', '#', ''],
    ['array', '[1,#]', '/1'],
    ['any', '{"n":#}', '/n'],
    ['any', '#', ''],
    ['number', '{"n":#}', '/n'],
    ['text', '{"n":#}', '/n'],
    ['list', '{"n":[#]}', '/n/0'],
    ['int64', '{"n":{"m":#}}', '/n/m'],
  ])('is refused, because a handler may expect a number: %s, %s', async (path, body, pointer) => {
    expect((await post(path, body.replace('#', '9007199254740991'))).status).toBe(201);
    const response = await post(path, body.replace('#', '9007199254740993'));
    expectErrorResponse(response, 400, 'validation_failed');
    expect(JSON.parse(response.body)).toMatchObject({ details: [{ in: 'body', pointer, code: 'range' }] });
  });

  it('is refused where an object is expected', async () => {
    const response = await post('dto', '{"n":9007199254740993}');
    expectErrorResponse(response, 400, 'validation_failed');
  });

  it.each(['bigint', 'int64'])('is exact in one member of the type %s', async (path) => {
    const { status, body } = await post(path, '{"n":9007199254740993}');
    expect({ status, body }).toEqual({ status: 201, body: '{"type":"bigint","n":9007199254740993}' });
  });
});

describe('id', () => {
  const IDS = [MIN, '-1', '9007199254740992', '9007199254740993', '9223372036854775806', MAX];

  beforeAll(async () => {
    await petstore.query('TRUNCATE items CASCADE');
    await petstore.query(
      `INSERT INTO items (id, name, amount, status) OVERRIDING SYSTEM VALUE
       SELECT unnest($1::bigint[]), 'Rex', 1, 'closed'`,
      [IDS],
    );
  });

  it.each(IDS)('%s is found by its digits', async (id) => {
    const { status, body } = await get(`/v1/items/${id}`);
    expect({ status, ids: idsIn(body) }).toEqual({ status: 200, ids: [id] });
  });

  it.each(['9223372036854775808', '18446744073709551615', '9007199254740994', '9223372036854775805'])(
    '%s, which is close to it, is not found',
    async (id) => {
      expectErrorResponse(await get(`/v1/items/${id}`), 404, 'item_not_found');
    },
  );

  it.each(['', '&status=closed'])(
    'is exact in pages, and in the cursors between them (limit=1%s)',
    async (filter) => {
      const ids: string[] = [];
      for (let path: string | undefined = `/v1/items?limit=1${filter}`; path !== undefined;) {
        const response = await get(path);
        ids.push(...idsIn(response.body));
        path = /<http:\/\/petstore\.test([^>]+)>/.exec(valuesOf(response, 'Link').join())?.[1];
      }
      expect(ids).toEqual(IDS);
    },
  );
});
