import {
  Body,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Module,
  Param,
  Post,
  Query,
} from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { Request } from 'express';
import { IsOptional, IsString } from 'class-validator';
import fc from 'fast-check';
import {
  AnyKey,
  Changes,
  DomainError,
  Id,
  Idempotent,
  type Int64,
  UnitOfWork,
} from '../../../src/platform/index.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorResponse } from '../../support/promises.js';
import { bearer, type RawResponse, send, valuesOf } from '../../support/wire.js';

class QuoteNotFound extends DomainError {
  static override readonly help = { meaning: 'No quote has this id.', action: 'Do not repeat the request.' };

  constructor(id: Int64 | string) {
    super('not_found', 'quote_not_found', `There is no quote with the id ${id}.`);
  }
}

class QuoteQuery {
  @IsOptional()
  @IsString()
  readonly currency?: string;

  @IsOptional()
  readonly day?: string | string[];
}

const Tenant = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Request>().query.tenant,
);

let calls = 0;

/* eslint-disable @typescript-eslint/no-unused-vars -- what a handler takes is what the test is about */
@AnyKey()
@Controller({ path: 'on-quotes', version: '1' })
class QuotesController {
  @Post('untyped')
  @Idempotent()
  untyped(@Body() _: object, @UnitOfWork() _changes: Changes): object {
    return { call: ++calls };
  }

  @Post(':quoteId/accept')
  @Idempotent()
  accept(@Id('quoteId', QuoteNotFound) id: Int64, @UnitOfWork() _: Changes): object {
    return { id, call: ++calls };
  }

  @Post('named/:name/accept')
  @Idempotent()
  acceptNamed(@Param('name') name: string, @UnitOfWork() _: Changes): object {
    return { name, call: ++calls };
  }

  @Post('below/*path')
  @Idempotent()
  below(@Param('path') path: string[], @UnitOfWork() _: Changes): object {
    return { path, call: ++calls };
  }

  @Post('by-class')
  @Idempotent()
  byClass(@Query() query: QuoteQuery, @UnitOfWork() _: Changes): object {
    return { query, call: ++calls };
  }

  @Post('by-name')
  @Idempotent()
  byName(@Query('currency') currency: string, @UnitOfWork() _: Changes): object {
    return { currency, call: ++calls };
  }

  @Post('by-decorator')
  @Idempotent()
  byDecorator(@Tenant() tenant: string, @UnitOfWork() _: Changes): object {
    return { tenant, call: ++calls };
  }

  @Post('documented')
  @Idempotent()
  @ApiQuery({ name: 'tenant', required: false })
  documented(@UnitOfWork() _: Changes): object {
    return { call: ++calls };
  }
}
/* eslint-enable @typescript-eslint/no-unused-vars */

@Module({ controllers: [QuotesController] })
class QuotesModule {}

let petstore: Petstore;
let key: string;
let count = 0;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, QuotesModule] });
  key = await petstore.key();
});
afterAll(() => petstore.stop());

const fresh = () => `spelling-${++count}`;

const post = (idempotencyKey: string, path: string, body = '{}') =>
  send(petstore, {
    method: 'POST',
    path,
    headers: [bearer(key), ['Content-Type', 'application/json'], ['Idempotency-Key', idempotencyKey]],
    body,
  });

const isReplay = (response: RawResponse) => valuesOf(response, 'Idempotent-Replayed').length > 0;

async function repeat(one: readonly [string, string?], other: readonly [string, string?]) {
  const name = fresh();
  const first = await post(name, ...one);
  expect(first.status).toBe(201);
  expect(isReplay(first)).toBe(false);
  return { first, second: await post(name, ...other) };
}

describe('a repeat with an Idempotency-Key', () => {
  it.each([
    ['9007199254740993', '9007199254740993.0'],
    ['9007199254740993.0', '9007199254740993'],
    ['5', '5e0'],
    ['5.0', '0.5e1'],
    ['0', '-0'],
  ])('is one if it writes %s as %s', async (one, other) => {
    const item = (amount: string) => ['/v1/items', `{"name":"x","amount":${amount}}`] as const;
    const { first, second } = await repeat(item(one), item(other));
    expect(isReplay(second)).toBe(true);
    expect(second.body).toBe(first.body);
  });

  it.each([
    ['9007199254740992', '9007199254740993.0'],
    ['9007199254740993.0', '9007199254740992'],
    ['0', '1e-400'],
    ['5', '5.0000000000000001'],
  ])('is none if it has %s and then %s', async (one, other) => {
    const item = (amount: string) => ['/v1/items', `{"name":"x","amount":${amount}}`] as const;
    const { second } = await repeat(item(one), item(other));
    expectErrorResponse(second, 422, 'idempotency_key_reused');
  });

  it.each([
    ['a trailing slash', '/v1/items', '/v1/items/'],
    ['the absolute form', '/v1/items', 'http://petstore.test/v1/items'],
    [
      'the absolute form of https',
      '/v1/on-quotes/10/accept',
      'https://other.test:8443/v1/on-quotes/10/accept',
    ],
    ['leading zeros of an id', '/v1/on-quotes/10/accept', '/v1/on-quotes/010/accept'],
    ['escapes in an id', '/v1/on-quotes/10/accept', '/v1/on-quotes/%310/accept'],
    ['a query that the operation ignores', '/v1/on-quotes/10/accept', '/v1/on-quotes/10/accept?utm=x'],
    ['an empty query', '/v1/on-quotes/by-class', '/v1/on-quotes/by-class?'],
    ['escapes in a name', '/v1/on-quotes/named/a@b/accept', '/v1/on-quotes/named/%61%40b/accept'],
    [
      'the order of parameters',
      '/v1/on-quotes/by-class?currency=EUR&day=1',
      '/v1/on-quotes/by-class?day=1&currency=EUR',
    ],
    ['escapes in a query', '/v1/on-quotes/by-class?currency=a%20b', '/v1/on-quotes/by-class?currenc%79=a+b'],
    [
      'a parameter that no one reads',
      '/v1/on-quotes/by-name?currency=EUR',
      '/v1/on-quotes/by-name?a=b&currency=EUR&c',
    ],
  ])('is one with %s', async (_, one, other) => {
    const forth = await repeat([one, named()], [other, named()]);
    expect(forth.second.body).toBe(forth.first.body);
    expect(isReplay(forth.second)).toBe(true);
    expect(isReplay((await repeat([other, named()], [one, named()])).second)).toBe(true);
  });

  it.each([
    ['another id', '/v1/on-quotes/10/accept', '/v1/on-quotes/100/accept'],
    ['the sign of an id', '/v1/on-quotes/10/accept', '/v1/on-quotes/-10/accept'],
    ['leading zeros of a name', '/v1/on-quotes/named/7/accept', '/v1/on-quotes/named/07/accept'],
    ['a slash in a name', '/v1/on-quotes/below/a%2Fb', '/v1/on-quotes/below/a/b'],
    ['leading zeros below a wildcard', '/v1/on-quotes/below/7/accept', '/v1/on-quotes/below/07/accept'],
    ['a value of a query', '/v1/on-quotes/by-class?currency=EUR', '/v1/on-quotes/by-class?currency=USD'],
    ['the case of a value', '/v1/on-quotes/by-class?currency=EUR', '/v1/on-quotes/by-class?currency=eur'],
    ['a parameter less', '/v1/on-quotes/by-class?currency=EUR', '/v1/on-quotes/by-class'],
    ['a value more', '/v1/on-quotes/by-class?day=1', '/v1/on-quotes/by-class?day=1&day=2'],
    ['the order of values', '/v1/on-quotes/by-class?day=1&day=2', '/v1/on-quotes/by-class?day=2&day=1'],
    ['an unknown parameter', '/v1/on-quotes/by-class?day=1', '/v1/on-quotes/by-class?day=1&colour=red'],
    ['a parameter', '/v1/on-quotes/by-name?currency=EUR', '/v1/on-quotes/by-name?currency=USD'],
    ['what a decorator reads', '/v1/on-quotes/by-decorator?tenant=a', '/v1/on-quotes/by-decorator?tenant=b'],
    [
      'what a guard reads and the document names',
      '/v1/on-quotes/documented?tenant=a',
      '/v1/on-quotes/documented?tenant=b',
    ],
  ])('is none with a difference in %s', async (_, one, other) => {
    expectErrorResponse((await repeat([one], [other])).second, 422, 'idempotency_key_reused');
    expect((await post(fresh(), other)).status).not.toBe(422);
  });

  it('is one for any two spellings of one body, and none for two bodies', async () => {
    const value = fc.oneof(
      fc.constantFrom('9007199254740991', '0.1', '1e-7', 'null', 'true', '"a"', '"1"', '""'),
      fc.integer({ min: -1_000, max: 1_000 }).map(String),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number)) // others are 400 without a class
        .map((number) => JSON.stringify(number)),
    );
    const body = fc.dictionary(fc.constantFrom('a', 'b', 'c', '0', '__proto_', ''), value, { minKeys: 1 });
    const write = (members: Record<string, string>, spell: (text: string) => string) =>
      `{${Object.entries(members)
        .map(([name, text]) => `${JSON.stringify(name)}:${spell(text)}`)
        .join()}}`;
    await fc.assert(
      fc.asyncProperty(body, body, async (one, other) => {
        const name = fresh();
        const first = await post(
          name,
          '/v1/on-quotes/untyped',
          write(one, (text) => text),
        );
        expect(first.status).toBe(201);
        const reversed = Object.fromEntries(Object.entries(one).reverse());
        const again = await post(name, '/v1/on-quotes/untyped', write(reversed, otherSpelling));
        expect({ body: again.body, isReplay: isReplay(again) }).toEqual({ body: first.body, isReplay: true });
        const isEqual = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        const third = await post(name, '/v1/on-quotes/untyped', write(other, otherSpelling));
        expect(third.status).toBe(isEqual ? 201 : 422);
      }),
      { numRuns: 60 },
    );
  });
});

/** A body that items accept, and the other handlers ignore. */
const named = () => '{"name":"x","amount":1}';

const sorted = (members: Record<string, string>) => Object.entries(members).sort();

/** White space around any value, and a number with another exponent. */
function otherSpelling(text: string): string {
  if (!/^-?\d/.test(text)) return ` ${text}\n`;
  const [digits = '', exponent = '0'] = text.split('e');
  const point = digits.includes('.') ? digits : `${digits}.`;
  return `${point}00E${exponent.replace('+', '')}`;
}
