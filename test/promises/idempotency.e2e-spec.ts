import { jest } from '@jest/globals';
import { Body, Controller, Header, HttpCode, Module, Post, Res } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import type { Response } from 'express';
import pg from 'pg';
import { DataSource, Repository } from 'typeorm';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { hours } from '../../src/kernel/clock/duration.js';
import { StoredResponses } from '../../src/idempotency/stored-responses.js';
import { Idempotent } from '../../src/idempotency/idempotent.decorator.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { becomes, eventually } from '../support/eventually.js';
import { Item } from '../items/item.entity.js';
import { CreateItemDto } from '../items/item.dto.js';
import { ItemsModule } from '../items/items.module.js';
import { Petstore } from '../support/petstore.js';
import { expectPromisedHeaders, expectErrorResponse } from '../support/promises.js';
import { type RawResponse, bearer, type Message, send, valuesOf } from '../support/wire.js';

/** Runs in the middle of `POST /v1/litters`, for tests that need to act at that point. */
let midway: () => Promise<void>;

/** A user's module, whose handler writes in every way that TypeORM offers. */
@Controller({ path: 'litters', version: '1' })
class LittersController {
  constructor(
    @InjectRepository(Item) private readonly items: Repository<Item>,
    private readonly dataSource: DataSource,
  ) {}

  @Post()
  @Idempotent()
  @HttpCode(202)
  @Header('Cache-Control', 'no-store')
  async create(@Body() item: CreateItemDto, @Res({ passthrough: true }) response: Response): Promise<object> {
    const { name, amount, status } = item;
    const first = await this.items.save(this.items.create(item));
    await this.items.createQueryBuilder().insert().values({ name, amount, status }).execute();
    await this.dataSource.query(`INSERT INTO items (name, amount, status) VALUES ($1, 1, 'closed')`, [name]);
    await this.dataSource.transaction((manager) => manager.insert(Item, { name, amount, status }));
    await midway();
    response.setHeader('Location', `/v1/litters/${first.id}`);
    return { id: first.id };
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Item])], controllers: [LittersController] })
class LittersModule {}

/** The SQL that `pg` is asked to run: a string, a query, or several in one. */
function textsOf(statement: unknown): unknown[] {
  const several = statement as { text?: unknown; statements?: { text: unknown }[] };
  const { text = statement, statements = [{ text }] } = several;
  return statements.map((one) => one.text);
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

  it('counts a repeat like any request, and gives it its own request id', async () => {
    const name = fresh();
    const [first, second] = [await post(name, named(name)), await post(name, named(name))];
    const [before, after] = [first, second].map((one) => Number(valuesOf(one, 'X-RateLimit-Remaining')[0]));
    expect(after).toBe((before ?? 0) - 1);
    expect(valuesOf(second, 'X-Request-Id')).not.toEqual(valuesOf(first, 'X-Request-Id'));
    expectPromisedHeaders(second);
  });

  it('keeps all digits of an identifier', async () => {
    const name = fresh();
    const first = await post(name, named(name, '9223372036854775807'));
    expect(first.body).toContain('"amount":9223372036854775807');
    expectReplay(await post(name, named(name, '9223372036854775807')), first);
    expectErrorResponse(await post(name, named(name, '9223372036854775806')), 422, 'idempotency_key_reused');
  });

  it('ignores white space and the order of properties', async () => {
    const name = fresh();
    const first = await post(name, named(name));
    expectReplay(await post(name, ` { "amount" : 1,\n"name":"${name}"} `), first);
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

  it('also refuses an invalid body with 422, and keeps the first response', async () => {
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
      await post(name, named(name), { path: '/v1/litters' }),
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

  it('refuses two keys with 400', async () => {
    const response = await post('a', named(fresh()), { headers: [['Idempotency-Key', 'a']] });
    expectErrorResponse(response, 400, 'validation_failed');
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

  it('returns 503 without the database, and works when it is back', async () => {
    const name = fresh();
    proxy.cut();
    expectErrorResponse(await post(name, named(name)), 503, 'service_unavailable');
    proxy.mend();
    expect((await post(name, named(name))).status).toBe(201);
    expect(await itemsNamed(name)).toBe(1);
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

  it('needs no query for a request without a key', async () => {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    await petstore.client(key).post('/v1/items').send({ name: 'Rex', amount: 1 }).expect(201);
    const statements = JSON.stringify(query.mock.calls.map(([statement]) => textsOf(statement)));
    expect(statements).toContain('INSERT INTO');
    expect(statements).not.toMatch(/idempotent|advisory/);
    query.mockRestore();
  });
});

describe('@Idempotent() on an operation of another module', () => {
  const litter = (name: string) => post(name, named(name), { path: '/v1/litters' });

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
    const request = petstore.client(key).post('/v1/litters').set('Idempotency-Key', name).type('json');
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
    expect(await itemsNamed(name)).toBe(4);
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

  it('refuses a repeat of a running request with 409 idempotency_in_progress and Retry-After', async () => {
    const name = fresh();
    const { first, goOn } = await stuck(name);
    const meanwhile = await litter(name);
    expectErrorResponse(meanwhile, 409, 'idempotency_in_progress');
    expect(valuesOf(meanwhile, 'Retry-After')).toEqual(['1']);
    expect(await itemsNamed(name)).toBe(0);
    goOn();
    const response = await first;
    expectReplay(await litter(name), response);
  });

  it('stores no response if the transaction is lost half-way', async () => {
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

  it('aborts a first request that hangs, rolls it back, and serves the repeat', async () => {
    const name = fresh();
    const { first, goOn } = await stuck(name);
    let repeat = await litter(name);
    await eventually(async () => (repeat = await litter(name)).status !== 409); // in PostgreSQL's real time
    expect(repeat.status).toBe(202);
    goOn();
    expect(await first).toMatchObject({ status: 503 });
    expect(await itemsNamed(name)).toBe(4);
    expectReplay(await litter(name), repeat);
  });

  it('serves more keys concurrently than there are connections', async () => {
    const names = Array.from({ length: 15 }, fresh); // there are 10 connections; more keys would only measure the machine
    const responses = await Promise.all(names.map(litter));
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 202));
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
    await petstore.app.get(StoredResponses).clear();
    expect(
      await petstore.query('SELECT 1 FROM idempotent_answers WHERE api_key_id = $1', [owner.id]),
    ).toEqual([]);
    expectReplay(await post(name, named(name)), first);
    petstore.clock.advance(hours(24));
    await petstore.app.get(StoredResponses).clear();
    expect(await kept()).toBe(0);
  });
});
