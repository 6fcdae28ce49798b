import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, Repository } from 'typeorm';
import { poolOf } from '../../../src/platform/data/database/pool/service-pool.js';
import { AnyKey, Changes, eventType, Idempotent, UnitOfWork } from '../../../src/platform/index.js';
import { CreateItemDto } from '../../items/item.dto.js';
import { Item, ItemStatus } from '../../items/item.entity.js';
import { ITEM_CREATED, ItemsModule } from '../../items/items.module.js';
import { becomes } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorResponse } from '../../support/promises.js';
import { bearer, send, valuesOf } from '../../support/wire.js';

const messageOf = (error: unknown) => (error as Error).message;

class FailingData {
  static from(): object {
    throw new Error('no data');
  }
}
const FAILING = eventType<Item, object>('item.failing', FailingData, { description: 'Fails.' });

/** Lets the test act while handlers run. */
let midway: () => Promise<void>;

@AnyKey()
@Controller({ path: 'work', version: '1' })
class WorkController {
  constructor(@InjectRepository(Item) private readonly items: Repository<Item>) {}

  /** Writes through the outer unit of work in the middle of a transaction, and begins a second one. */
  @Post('outer')
  @HttpCode(200)
  @Idempotent()
  async outer(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    const refusals: string[] = [];
    await changes.transaction(async (inside) => {
      await changes
        .insert(Item, item, ITEM_CREATED)
        .catch((error: unknown) => refusals.push(messageOf(error)));
      await changes
        .transaction(() => Promise.resolve())
        .catch((error: unknown) => refusals.push(messageOf(error)));
      await inside.insert(Item, item, ITEM_CREATED);
    });
    await changes.insert(Item, item, ITEM_CREATED);
    return { refusals };
  }

  /** Begins writes side by side. */
  @Post('side-by-side')
  @HttpCode(200)
  @Idempotent()
  async sideBySide(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    const seen: number[] = [];
    const results = await Promise.allSettled([
      changes.insert(Item, item, ITEM_CREATED),
      changes.insert(Item, { name: '', amount: 1n, status: ItemStatus.Open }, ITEM_CREATED), // violates a constraint
      changes.insert(Item, item, ITEM_CREATED),
      changes.transaction(async ({ manager }) => seen.push(await manager.countBy(Item, { name: item.name }))),
    ]);
    return { seen, results: results.map(({ status }) => status) };
  }

  /** Catches a failed statement in a nested transaction. */
  @Post('nested')
  @HttpCode(200)
  @Idempotent()
  async nested(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    await changes.transaction(async (inside) => {
      await inside.insert(Item, item, ITEM_CREATED);
      await inside
        .transaction(async (nested) => {
          await nested.insert(Item, item, ITEM_CREATED);
          await nested.manager.query('SELECT 1 / 0');
        })
        .catch(() => undefined);
      await inside.transaction((nested) => nested.insert(Item, item, ITEM_CREATED));
    });
    return {};
  }

  /** Goes on in a transaction whose statement has failed. */
  @Post('failed')
  @Idempotent()
  async failed(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    await changes.transaction(async (inside) => {
      await inside.insert(Item, item, ITEM_CREATED);
      await inside.manager.query('SELECT 1 / 0').catch(() => undefined);
      await inside.transaction((nested) => nested.insert(Item, item, ITEM_CREATED));
    });
    return {};
  }

  /** Ignores that the only statement after its write has failed, and with it the transaction. */
  @Post('careless')
  @Idempotent()
  async careless(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    await changes.transaction(async (inside) => {
      await inside.insert(Item, item, ITEM_CREATED);
      await inside.manager.query('SELECT 1 / 0').catch(() => undefined);
    });
    for (let i = 0; i < 3; i++) await changes.insert(Item, item, ITEM_CREATED).catch(() => undefined);
    return {};
  }

  /** Catches the error of a write, whose row would be there without its event, in and outside a transaction. */
  @Post('caught')
  @HttpCode(200)
  @Idempotent()
  async caught(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    const refusals: string[] = [];
    const refused = (error: unknown) => refusals.push(messageOf(error));
    await changes.insert(Item, item, FAILING).catch(refused);
    await changes
      .transaction(async (inside) => {
        await inside.insert(Item, item, FAILING).catch(refused);
        await inside.insert(Item, item, ITEM_CREATED);
      })
      .catch(refused);
    await changes.transaction(async (inside) => {
      await inside.transaction((nested) => nested.insert(Item, item, FAILING)).catch(refused);
      await inside.insert(Item, item, ITEM_CREATED);
    });
    return { refusals };
  }

  /** Does not await its last write. */
  @Post('unawaited')
  @HttpCode(200)
  @Idempotent()
  unawaited(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): object {
    void changes.insert(Item, item, ITEM_CREATED);
    void changes.insert(Item, item, ITEM_CREATED);
    return {};
  }

  @Post('serializable')
  @HttpCode(200)
  @Idempotent({ isolation: 'SERIALIZABLE' })
  async serializable(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    const refusal = await changes.transaction('REPEATABLE READ', () => Promise.resolve()).catch(messageOf);
    const level = await changes.transaction(async (inside) => {
      await inside.insert(Item, item, ITEM_CREATED);
      const [row] = await inside.manager.query<{ level: string }[]>(
        `SELECT current_setting('transaction_isolation') AS level`,
      );
      return row?.level;
    });
    return { refusal, level };
  }

  @Post('repeatable')
  @HttpCode(200)
  @Idempotent({ isolation: 'REPEATABLE READ' })
  async repeatable(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    await midway();
    await changes.insert(Item, item, ITEM_CREATED);
    return {};
  }

  /** Reads beside its transaction, which takes a second connection. */
  @Post('reading')
  @HttpCode(200)
  @Idempotent()
  async reading(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    await this.items.countBy({ name: item.name });
    await changes.insert(Item, item, ITEM_CREATED);
    return {};
  }

  @Post('waiting')
  @HttpCode(200)
  @Idempotent()
  async waiting(@Body() item: CreateItemDto, @UnitOfWork() changes: Changes): Promise<object> {
    await midway();
    await changes.insert(Item, item, ITEM_CREATED);
    return {};
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Item])], controllers: [WorkController] })
class WorkModule {
  static readonly events = [FAILING];
}

let petstore: Petstore;
let key: string;
let count = 0;

beforeAll(async () => {
  petstore = await Petstore.start({
    modules: [ItemsModule, WorkModule],
    env: { CLIENT_CONCURRENCY: '0' }, // these requests of one key meet each other
  });
  key = await petstore.key();
});
afterAll(() => petstore.stop());
beforeEach(() => {
  midway = () => Promise.resolve();
});

const fresh = () => `work-${++count}`;

const post = (handler: string, name: string, idempotencyKey?: string, as = key, to = petstore) =>
  send(to, {
    method: 'POST',
    path: `/v1/work/${handler}`,
    headers: [
      bearer(as),
      ['Content-Type', 'application/json'],
      ...(idempotencyKey === undefined ? [] : [['Idempotency-Key', idempotencyKey] as [string, string]]),
    ],
    body: `{"name":"${name}","amount":1}`,
  });

const itemsNamed = async (name: string) =>
  (await petstore.query('SELECT 1 FROM items WHERE name = $1', [name])).length;
const openTransactions = async () =>
  (
    await petstore.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    )
  ).length;

describe.each([
  ['without an Idempotency-Key', () => undefined],
  ['with an Idempotency-Key', fresh],
])('the unit of work of a request %s', (_, idempotencyKey) => {
  it('refuses calls while its transaction runs, in a sentence that says what to write', async () => {
    const name = fresh();
    const { status, body } = await post('outer', name, idempotencyKey());
    expect(status).toBe(200);
    const sentence =
      'changes.transaction() is running. Inside it, write through the `changes` that its work gets; outside, await it first.';
    expect(JSON.parse(body)).toEqual({ refusals: [sentence, sentence] });
    expect(await itemsNamed(name)).toBe(2);
  });

  it('runs calls that are begun side by side one after the other, each by itself', async () => {
    const name = fresh();
    const { body } = await post('side-by-side', name, idempotencyKey());
    expect(JSON.parse(body)).toEqual({
      seen: [2],
      results: ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    });
    expect(await itemsNamed(name)).toBe(2);
  });

  it('rolls a nested transaction back alone, also after a statement in it has failed', async () => {
    const name = fresh();
    expect((await post('nested', name, idempotencyKey())).status).toBe(200);
    expect(await itemsNamed(name)).toBe(2);
  });

  it.each([
    ['ignored', 'careless'],
    ['ignored before another write', 'failed'],
  ])('keeps nothing of a transaction whose failed statement is %s', async (_ignored, handler) => {
    const name = fresh();
    const repeated = idempotencyKey();
    for (let i = 0; i < 3; i++) {
      expectErrorResponse(await post(handler, name, repeated), 500, 'internal_error');
      await becomes(openTransactions, 0);
      expect(await itemsNamed(name)).toBe(0);
    }
  });

  it('keeps nothing of a transaction in which the error of a write was caught, and what stands on its own', async () => {
    const name = fresh();
    const { body } = await post('caught', name, idempotencyKey());
    const doomed = 'The transaction was rolled back because one of its writes had failed: no data';
    expect(JSON.parse(body)).toEqual({ refusals: ['no data', 'no data', doomed, 'no data'] });
    expect(await itemsNamed(name)).toBe(1);
  });

  it('has the isolation level of @Idempotent(), and refuses another one', async () => {
    const name = fresh();
    const { body } = await post('serializable', name, idempotencyKey());
    expect(JSON.parse(body)).toEqual({
      refusal:
        "changes.transaction('REPEATABLE READ', …) is not for a handler with @Idempotent(): write @Idempotent({ isolation: 'REPEATABLE READ' }).",
      level: 'serializable',
    });
    expect(await itemsNamed(name)).toBe(1);
  });
});

describe('an @Idempotent() handler', () => {
  it('commits writes that it has begun but not awaited', async () => {
    const name = fresh();
    expect((await post('unawaited', name, fresh())).status).toBe(200);
    expect(await itemsNamed(name)).toBe(2);
  });

  it('does not conflict at SERIALIZABLE with other requests because of the bookkeeping', async () => {
    const name = fresh();
    const clients = await Promise.all(Array.from({ length: 4 }, () => petstore.key()));
    const statuses = new Set<number>();
    // As many at once as are served at once: how long more of them wait for a connection depends on the machine.
    const atOnce = poolOf(petstore.app.get(DataSource)).options.max / 2;
    for (let sent = 0; sent < 200; sent += atOnce) {
      const responses = await Promise.all(
        Array.from({ length: atOnce }, (_, i) =>
          post('serializable', `${name}-${sent + i}`, `${name}-${sent + i}`, clients[i % clients.length]),
        ),
      );
      for (const { status } of responses) statuses.add(status);
    }
    expect([...statuses]).toEqual([200]);
  });

  it('needs one connection at SERIALIZABLE without a key, too, from the first requests after a start on', async () => {
    const own = await Petstore.start({
      modules: [ItemsModule, WorkModule],
      env: { CLIENT_CONCURRENCY: '0' },
    });
    const { max } = poolOf(own.app.get(DataSource)).options;
    const clients = await Promise.all(Array.from({ length: 4 }, () => own.key()));
    const responses = await Promise.all(
      Array.from({ length: max * 3 }, (_, i) =>
        post('serializable', `burst-${i}`, undefined, clients[i % clients.length], own),
      ),
    );
    expect(responses.filter(({ status }) => status === 503)).toEqual([]);
    await own.stop();
  });

  it('answers 409 at REPEATABLE READ if another process has stored a response meanwhile', async () => {
    const name = fresh();
    midway = async () => {
      await petstore.query(
        `INSERT INTO idempotent_answers (api_key_id, key, fingerprint, status, headers, body, expires_at)
         SELECT min(id), $1, 'other', 200, '{}', '{}', '2999-01-01' FROM api_keys`,
        [name],
      );
    };
    const response = await post('repeatable', name, name);
    expect(response.status).toBe(409);
    expect(valuesOf(response, 'Retry-After')).toEqual(['1']);
    expect(await itemsNamed(name)).toBe(0);
  });

  it('is answered 409 with Retry-After at once while it runs, however many repeats come', async () => {
    const name = fresh();
    let goOn: () => void = () => undefined;
    const arrived = new Promise<void>((arrive) => {
      midway = () => {
        arrive();
        return new Promise((resolve) => (goOn = resolve));
      };
    });
    const first = post('waiting', name, name);
    await arrived;
    const repeats = await Promise.all(Array.from({ length: 40 }, () => post('waiting', name, name)));
    for (const repeat of repeats) {
      expectErrorResponse(repeat, 409, 'idempotency_in_progress');
      expect(valuesOf(repeat, 'Retry-After')).toEqual(['1']);
    }
    expect(await itemsNamed(name)).toBe(0);
    goOn();
    const { status, body } = await first;
    expect(status).toBe(200);
    const after = await post('waiting', name, name);
    expect(after).toMatchObject({ status, body });
    expect(valuesOf(after, 'Idempotent-Replayed')).toEqual(['true']);
    expect(await itemsNamed(name)).toBe(1);
  });

  it('waits for a connection instead of failing, and leaves some to others', async () => {
    const { options } = poolOf(petstore.app.get(DataSource));
    const name = fresh();
    const other = await petstore.key();
    const many = Array.from({ length: options.max * 2 }, (_, i) =>
      post('reading', `${name}-${i}`, `${name}-${i}`),
    );
    const meanwhile = post('waiting', `${name}-other`, `${name}-other`, other);
    const first = await Promise.race([meanwhile.then(() => 'the other key'), Promise.all(many)]);
    expect(first).toBe('the other key');
    const responses = await Promise.all([...many, meanwhile]);
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  });
});
