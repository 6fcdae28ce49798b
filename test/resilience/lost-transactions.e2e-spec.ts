import { Controller, Module, Param, Post } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { AnyKey, Changes, Idempotent, UnitOfWork } from '../../src/platform/index.js';
import { Item, ItemStatus } from '../items/item.entity.js';
import { ITEM_CREATED, ItemsModule } from '../items/items.module.js';
import { Petstore } from '../support/petstore.js';

const item = { name: 'lost', amount: 1n, status: ItemStatus.Open };
/** Milliseconds after which PostgreSQL ends these transactions. */
const LIMIT = 50;

/** What happens between two statements of a transaction. */
const EVENTS = {
  /** The process stands still, and sends the next statement before it reads that the transaction is over. */
  'is frozen': () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6 * LIMIT);
    return Promise.resolve();
  },
  /** It reads that first. */
  waits: () => delay(6 * LIMIT),
} as const;
type Event = keyof typeof EVENTS;

@AnyKey()
@Controller({ path: 'lost', version: '1' })
class LostController {
  constructor(private readonly dataSource: DataSource) {}

  @Post('changes/:event')
  async changes(@Param('event') event: Event, @UnitOfWork() changes: Changes): Promise<object> {
    await changes.transaction(async (inside) => {
      await inside.manager.query(`SET LOCAL idle_in_transaction_session_timeout = ${LIMIT}`);
      await inside.insert(Item, item, ITEM_CREATED);
      await EVENTS[event]();
      await inside.insert(Item, item, ITEM_CREATED);
    });
    return {};
  }

  @Post('commit/:event')
  async commit(@Param('event') event: Event, @UnitOfWork() changes: Changes): Promise<object> {
    await changes.transaction(async (inside) => {
      await inside.manager.query(`SET LOCAL idle_in_transaction_session_timeout = ${LIMIT}`);
      await inside.insert(Item, item, ITEM_CREATED);
      await EVENTS[event]();
    });
    return {};
  }

  @Post('typeorm/:event')
  async typeorm(@Param('event') event: Event): Promise<object> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query(`SET LOCAL idle_in_transaction_session_timeout = ${LIMIT}`);
      await EVENTS[event]();
      await manager.query('SELECT 1');
    });
    return {};
  }

  @Post('find/:event')
  async find(@Param('event') event: Event): Promise<object> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query(`SET LOCAL idle_in_transaction_session_timeout = ${LIMIT}`);
      await EVENTS[event]();
      await manager.find(Item);
    });
    return {};
  }

  @Post('runner/:event')
  async runner(@Param('event') event: Event): Promise<object> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      await runner.query(`SET LOCAL idle_in_transaction_session_timeout = ${LIMIT}`);
      await EVENTS[event]();
      await runner.query('SELECT 1');
      await runner.commitTransaction();
    } finally {
      await runner.release();
    }
    return {};
  }

  @Post('idempotent/:event')
  @Idempotent()
  async idempotent(@Param('event') event: Event, @UnitOfWork() changes: Changes): Promise<object> {
    await changes.manager.query(`SET LOCAL idle_in_transaction_session_timeout = ${LIMIT}`);
    await changes.insert(Item, item, ITEM_CREATED);
    await EVENTS[event]();
    return {};
  }

  @Post('write/:event')
  @Idempotent()
  async write(@Param('event') event: Event, @UnitOfWork() changes: Changes): Promise<object> {
    await changes.manager.query(`SET LOCAL idle_in_transaction_session_timeout = ${LIMIT}`);
    await EVENTS[event]();
    await changes.insert(Item, item, ITEM_CREATED);
    return {};
  }
}

@Module({ imports: [ItemsModule], controllers: [LostController] })
class LostModule {}

describe('a request whose transaction PostgreSQL has ended', () => {
  let petstore: Petstore;
  let key: string;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [ItemsModule, LostModule] });
    key = await petstore.key();
  });
  afterAll(() => petstore.stop());

  const ways = ['changes', 'commit', 'typeorm', 'find', 'runner', 'idempotent', 'write'].flatMap((way) =>
    Object.keys(EVENTS).map((event) => [way, event] as const),
  );

  it.each(ways)('gets 503, by way of %s, because the process %s', async (way, event) => {
    const before = petstore.log.length;
    const sent = petstore.client(key).post(`/v1/lost/${way}/${encodeURIComponent(event)}`);
    if (['idempotent', 'write'].includes(way))
      void sent.set('Idempotency-Key', `${way} ${event}`.replaceAll(' ', '-'));
    const { status, body, headers } = await sent.send({});
    expect({ status, body: body as unknown }).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable' },
    });
    expect(headers['retry-after']).toBe('1');
    const lines = petstore.log.slice(before);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    const reasons = lines.flatMap(({ reason }) => reason ?? []);
    expect(reasons).toEqual([expect.not.stringContaining('QueryRunner')]); // no class of TypeORM
    expect(await petstore.query(`SELECT FROM items WHERE name = 'lost'`)).toEqual([]);
    // The connection is replaced.
    expect((await petstore.client(key).get('/v1/events')).status).toBe(200);
  });
});
