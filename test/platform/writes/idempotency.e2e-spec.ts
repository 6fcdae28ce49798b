import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Post,
  Res,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Response } from 'express';
import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { hours } from '../../../src/platform/kernel/clock/duration.js';
import { IdempotentResponses } from '../../../src/platform/writes/idempotency/idempotent-responses.js';
import { Changes } from '../../../src/platform/writes/unit-of-work/changes.js';
import { UnitOfWork } from '../../../src/platform/writes/unit-of-work/unit-of-work.decorator.js';
import { Idempotent } from '../../../src/platform/writes/idempotency/idempotent.decorator.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { becomes } from '../../support/eventually.js';
import { Item } from '../../items/item.entity.js';
import { CreateItemDto } from '../../items/item.dto.js';
import { ITEM_CREATED, ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { expectPromisedHeaders, expectErrorResponse } from '../../support/promises.js';
import { type RawResponse, bearer, type Message, send, valuesOf } from '../../support/wire.js';
import { AnyKey } from '../../../src/platform/index.js';

/** Runs in the middle of `POST /v1/on-litters`, for tests that need to act at that point. */
let midway: () => Promise<void>;

/** A user's module, whose handler writes in every way that a unit of work offers. */
@AnyKey()
@Controller({ path: 'on-litters', version: '1' })
class LittersController {
  @Post()
  @Idempotent()
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  async create(
    @Body() item: CreateItemDto,
    @Res({ passthrough: true }) response: Response,
    @UnitOfWork() changes: Changes,
  ): Promise<object> {
    const { name, amount, status } = item;
    const first = await changes.insert(Item, item, ITEM_CREATED);
    await changes.transaction(async ({ manager }) => {
      await manager.save(Item, manager.create(Item, { name, amount, status }));
      await manager.query(`INSERT INTO items (name, amount, status) VALUES ($1, 1, 'closed')`, [name]);
    });
    await Promise.all([
      changes.insert(Item, item, ITEM_CREATED),
      changes
        .transaction(async ({ manager }) => {
          await manager.insert(Item, { name, amount, status });
          throw new Error('a savepoint');
        })
        .catch(() => undefined),
    ]);
    await midway();
    response.setHeader('Location', `/v1/on-litters/${first.id}`).appendHeader('Set-Cookie', 'litter=1');
    return { id: first.id, at: new Date(0), exact: 9007199254740993n, nothing: null };
  }
}

let calls = 0;

/** Its handlers do not support a key. */
@AnyKey()
@Controller({ path: 'on-plain', version: '1' })
class PlainController {
  @Post()
  plain(): object {
    return { calls: ++calls };
  }

  @Get()
  list(): object[] {
    return [];
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Item])],
  controllers: [LittersController, PlainController],
})
class LittersModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((_: unknown, response: Response, next: () => void) => {
        response.setHeader('Set-Cookie', ['seen=1']);
        next();
      })
      .forRoutes(LittersController);
  }
}

let petstore: Petstore;
let proxy: TcpProxy;
let key: string;
let count = 0;

beforeAll(async () => {
  petstore = await Petstore.start({
    modules: [ItemsModule, LittersModule],
    through: async (url) => (proxy = await TcpProxy.to(url)),
  });
  key = await petstore.key();
});
afterAll(async () => {
  await petstore.stop();
  proxy.remove();
});
beforeEach(() => {
  midway = () => Promise.resolve();
});

/** A key, which is also the name of an item, that no other test uses. */
const fresh = () => `key-${++count}`;

interface Post extends Message {
  readonly as?: string;
}

const post = (idempotencyKey: string, body: string, { as = key, headers = [], ...rest }: Post = {}) =>
  send(petstore, {
    method: 'POST',
    headers: [
      bearer(as),
      ['Content-Type', 'application/json'],
      ['Idempotency-Key', idempotencyKey],
      ...headers,
    ],
    body,
    ...rest,
  });
const named = (name: string, amount: number | string = 1) => `{"name":"${name}","amount":${amount}}`;

async function itemsNamed(name: string): Promise<number> {
  return (await petstore.query('SELECT 1 FROM items WHERE name = $1', [name])).length;
}

function expectReplay(response: RawResponse, first: Pick<RawResponse, 'status' | 'body'>): void {
  expect({ status: response.status, body: response.body }).toEqual({
    status: first.status,
    body: first.body,
  });
  expect(valuesOf(response, 'Idempotent-Replayed')).toEqual(['true']);
  expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
}

describe('POST /v1/items with an Idempotency-Key', () => {
  it('returns the first response to a repeat and adds no second item', async () => {
    const name = fresh();
    const first = await post(name, named(name));
    expect(first.status).toBe(201);
    expect(valuesOf(first, 'Idempotent-Replayed')).toEqual([]);
    for (let i = 0; i < 3; i++) expectReplay(await post(name, named(name)), first);
    expect(await itemsNamed(name)).toBe(1);
  });

  it('is refused with 400 by a POST that does not support it, and ignored by other methods', async () => {
    const before = calls;
    const refused = await post(fresh(), '', { path: '/v1/on-plain' });
    expectErrorResponse(refused, 400, 'validation_failed');
    expect(JSON.parse(refused.body)).toMatchObject({ details: [{ in: 'header', field: 'Idempotency-Key' }] });
    expect(calls).toBe(before);
    expect((await post(fresh(), '', { method: 'GET', path: '/v1/on-plain' })).status).toBe(200);
    expectErrorResponse(await post(fresh(), '', { path: '/v1/no-such-path' }), 404, 'route_not_found');
  });

  it('is refused with 400 for a body that the handler reads itself', async () => {
    const response = await send(petstore, {
      method: 'POST',
      headers: [bearer(key), ['Content-Type', 'text/plain'], ['Idempotency-Key', fresh()]],
      body: 'name=Rex',
    });
    expectErrorResponse(response, 400, 'validation_failed');
  });

  it('counts a repeat like any request, and gives it its own request id', async () => {
    const name = fresh();
    const [first, second] = [await post(name, named(name)), await post(name, named(name))];
    const [before, after] = [first, second].map((one) => Number(valuesOf(one, 'X-RateLimit-Remaining')[0]));
    expect(after).toBe((before ?? 0) - 1);
    expect(valuesOf(second, 'X-Request-Id')).not.toEqual(valuesOf(first, 'X-Request-Id'));
    expectPromisedHeaders(second);
  });

  it('treats a quoted key, as in the IETF draft, as the same key', async () => {
    const name = fresh();
    const first = await post(name, named(name));
    expectReplay(await post(`"${name}"`, named(name)), first);
    expect((await post(String.raw`"a \"b\" \\ c"`, named(fresh()))).status).toBe(201);
  });

  it.each([
    ['another body', (name: string) => named(name, 2)],
    ['one more property', (name: string) => `{"name":"${name}","amount":1,"status":"open"}`],
  ])('refuses %s with 422 idempotency_key_reused', async (_, other) => {
    const name = fresh();
    const first = await post(name, named(name));
    expectErrorResponse(await post(name, other(name)), 422, 'idempotency_key_reused');
    expectReplay(await post(name, named(name)), first);
    expect(await itemsNamed(name)).toBe(1);
  });

  it('refuses an invalid body with 422 too, and keeps the first response', async () => {
    const name = fresh();
    const first = await post(name, named(name));
    expectErrorResponse(await post(name, '{"name":""}'), 422, 'idempotency_key_reused');
    expectErrorResponse(await post(name, '{'), 400, 'invalid_json');
    expectReplay(await post(name, named(name)), first);
  });

  it('refuses another operation with 422', async () => {
    const name = fresh();
    await post(name, named(name));
    expectErrorResponse(
      await post(name, named(name), { path: '/v1/on-litters' }),
      422,
      'idempotency_key_reused',
    );
  });

  it('separates the keys of different callers', async () => {
    const name = fresh();
    await post(name, named(name));
    expect((await post(name, named(name), { as: await petstore.key() })).status).toBe(201);
    expect(await itemsNamed(name)).toBe(2);
  });

  it('recognises a repeat after the API key was rotated', async () => {
    const keys = petstore.app.get(ApiKeysService);
    const { key: owner, secret } = await keys.create({ name: 'rotated', plan: 'free' });
    const name = fresh();
    const first = await post(name, named(name), { as: secret });
    const rotated = await keys.rotate(owner.id);
    expectReplay(await post(name, named(name), { as: rotated?.secret }), first);
  });

  it.each([
    ['nothing', ''],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['nothing in quotes', '""'],
    ['a quote that does not end', '"abc'],
    ['a quote with something behind it', '"abc";a=1'],
    ['a space', 'a b'],
    ['a letter beyond ASCII', 'clé'],
    ['a tab', 'a\tb'],
  ])('refuses %s as a key with 400', async (_, value) => {
    const name = fresh();
    const response = await post(value, named(name));
    expectErrorResponse(response, 400, 'validation_failed');
    expect(JSON.parse(response.body)).toMatchObject({ details: [{ field: 'Idempotency-Key' }] });
    expect(await itemsNamed(name)).toBe(0);
  });

  it.each([
    'x',
    'x'.repeat(255),
    `"${'x'.repeat(255)}"`,
    'a,b',
    "it's",
    '8e03978e-40d5-43dd-bc93-6894a57f9324',
  ])('accepts %.20s as a key', async (value) => {
    const as = await petstore.key();
    expect((await post(value, named(fresh()), { as })).status).toBe(201);
  });

  it('stores no error: the corrected request may use the same key', async () => {
    const name = fresh();
    expectErrorResponse(await post(name, '{"name":"","amount":1}'), 400, 'validation_failed');
    expectErrorResponse(await post(name, '{'), 400, 'invalid_json');
    expect((await post(name, named(name))).status).toBe(201);
  });

  it('keeps the response for 24 hours', async () => {
    const name = fresh();
    const first = await post(name, named(name));
    petstore.clock.advance(hours(24) - 1);
    expectReplay(await post(name, named(name)), first);
    petstore.clock.advance(1);
    const again = await post(name, named(name, 2));
    expect(again.status).toBe(201);
    expect(valuesOf(again, 'Idempotent-Replayed')).toEqual([]);
    expectReplay(await post(name, named(name, 2)), again);
  });

  it('adds one item for 50 concurrent requests', async () => {
    const name = fresh();
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(name, named(name))));
    for (const response of responses) {
      if (response.status !== 201) expectErrorResponse(response, 409, 'idempotency_in_progress');
    }
    const created = responses.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ body }) => body)).size).toBe(1);
    expect(created.filter((response) => valuesOf(response, 'Idempotent-Replayed').length === 0)).toHaveLength(
      1,
    );
    expect(await itemsNamed(name)).toBe(1);
  });
});

const litter = (name: string) => post(name, named(name), { path: '/v1/on-litters' });

describe('@Idempotent() on an operation of another module', () => {
  /** Transactions that are waiting for their handler. */
  async function transactions(): Promise<number> {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`;
    return (await petstore.query(sql)).length;
  }

  /** A first request whose handler waits for a signal. Later handlers do not. */
  async function stuck(name: string) {
    let goOn: () => void = () => undefined;
    const arrived = new Promise<void>((arrive) => {
      midway = () => {
        midway = () => Promise.resolve();
        arrive();
        return new Promise((resolve) => (goOn = resolve));
      };
    });
    const request = petstore.client(key).post('/v1/on-litters').set('Idempotency-Key', name).type('json');
    const first = request.send(named(name)).then(({ status, text }) => ({ status, body: text }));
    await arrived;
    return { first, goOn };
  }

  it('replays the status, body and headers of the handler', async () => {
    const name = fresh();
    const first = await litter(name);
    expect(first.status).toBe(202);
    const second = await litter(name);
    expectReplay(second, first);
    for (const header of ['Location', 'Cache-Control']) {
      expect(valuesOf(first, header)).toHaveLength(1);
      expect(valuesOf(second, header)).toEqual(valuesOf(first, header));
    }
    for (const response of [first, second])
      expect(valuesOf(response, 'Set-Cookie')).toEqual(['seen=1', 'litter=1']);
    expect(await itemsNamed(name)).toBe(4);
  });

  it('writes the names of the headers as the first response had them', async () => {
    const name = fresh();
    const namesOf = ({ headers }: RawResponse) => headers.map(([header]) => header).sort();
    const first = await litter(name);
    expect(namesOf(first)).toEqual(expect.arrayContaining(['Location', 'Cache-Control', 'Content-Type']));
    expect(namesOf(await litter(name))).toEqual([...namesOf(first), 'Idempotent-Replayed'].sort());
  });

  it('rolls back everything a failed handler did, and lets it run again', async () => {
    const name = fresh();
    midway = () => Promise.reject(new Error('no luck'));
    expectErrorResponse(await litter(name), 500, 'internal_error');
    expect(await itemsNamed(name)).toBe(0);
    midway = () => Promise.resolve();
    expect((await litter(name)).status).toBe(202);
    expect(await itemsNamed(name)).toBe(4);
  });

  it('stores no response if the connection is lost during the transaction', async () => {
    const name = fresh();
    const { first, goOn } = await stuck(name);
    await petstore.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'idle in transaction'`,
    );
    await becomes(() => transactions(), 0);
    goOn();
    expect(await first).toMatchObject({ status: 503 });
    expect(await itemsNamed(name)).toBe(0);
    const repeat = await litter(name);
    expect(repeat.status).toBe(202);
    expect(valuesOf(repeat, 'Idempotent-Replayed')).toEqual([]);
    expect(await itemsNamed(name)).toBe(4);
  });
});

describe('an @Idempotent() handler', () => {
  it('needs a unit of work, and the error at the start of the service names the method without one', () => {
    expect(() => {
      class Careless {
        @Post()
        @Idempotent()
        create(): object {
          return {};
        }
      }
      return Careless;
    }).toThrow(
      '@Idempotent() on Careless.create needs a parameter @UnitOfWork() changes: Changes, through which it writes',
    );
  });
});

describe('expired responses', () => {
  const kept = async (): Promise<number> => (await petstore.query('SELECT 1 FROM idempotent_answers')).length;

  it('are deleted, and the others stay', async () => {
    const { key: owner } = await petstore.app.get(ApiKeysService).create({ name: 'many', plan: 'free' });
    await petstore.query(
      `INSERT INTO idempotent_answers (api_key_id, key, fingerprint, status, headers, expires_at)
       SELECT $1, n, '', 201, '{}', $2 FROM generate_series(1, 2500) n`,
      [owner.id, new Date(petstore.clock.now())],
    );
    const name = fresh();
    const first = await post(name, named(name));
    petstore.clock.advance(1);
    await petstore.app.get(IdempotentResponses).clear();
    expect(
      await petstore.query('SELECT 1 FROM idempotent_answers WHERE api_key_id = $1', [owner.id]),
    ).toEqual([]);
    expectReplay(await post(name, named(name)), first);
    petstore.clock.advance(hours(24));
    await petstore.app.get(IdempotentResponses).clear();
    expect(await kept()).toBe(0);
  });
});
