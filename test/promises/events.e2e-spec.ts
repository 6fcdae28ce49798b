import { DataSource } from 'typeorm';
import { EventSequencer } from '../../src/events/event-sequencer.js';
import type { EventType } from '../../src/events/event-type.js';
import { Changes } from '../../src/events/changes.js';
import { Item, ItemStatus } from '../items/item.entity.js';
import { ItemResponse } from '../items/item.dto.js';
import { ITEM_CREATED, ITEM_UPDATED, ItemsModule } from '../items/items.module.js';
import { Petstore } from '../support/petstore.js';

class Counted {
  readonly counter!: number;
  readonly value!: number;

  static from({ counter, value }: Counted): Counted {
    return { counter, value };
  }
}
/** Not declared, because the service does not know it. */
const COUNTED: EventType<Counted, Counted> = {
  name: 'item.created',
  version: 1,
  data: Counted,
  description: '',
};

interface Row<Data> {
  readonly id: number;
  readonly type: string;
  readonly data: Data;
}

describe('events', () => {
  let petstore: Petstore;
  let dataSource: DataSource;
  let changes: Changes;
  let sequencer: EventSequencer;

  beforeEach(async () => {
    petstore = await Petstore.start({ modules: [ItemsModule] });
    dataSource = petstore.app.get(DataSource);
    changes = petstore.app.get(Changes);
    sequencer = petstore.app.get(EventSequencer);
  });

  afterEach(() => petstore.stop());

  const feed = <Data>(after = 0): Promise<Row<Data>[]> =>
    petstore.query('SELECT id, type, data FROM events WHERE id > $1 ORDER BY id', [after]);

  it('are recorded when an item is created, with the data of the response', async () => {
    const client = petstore.client(await petstore.key());
    const big = { name: 'Zoë "the" cat\\\u2028', status: 'held' };
    const { text } = await client
      .post('/v1/items')
      .set('Content-Type', 'application/json')
      .send(`{"amount":9223372036854775807,${JSON.stringify(big).slice(1)}`)
      .expect(201);
    await sequencer.catchUp();
    const rows = await petstore.query<{ occurred_at: Date }>(
      'SELECT id, type, version, occurred_at, data::jsonb = $1::jsonb AS same FROM events',
      [text], // as jsonb, whose numbers are exact
    );
    expect(rows).toMatchObject([{ id: 1, type: 'item.created', version: 1, same: true }]);
    expect(rows[0]?.occurred_at.getTime()).toBe(petstore.clock.now());
  });

  it('are recorded once for a repeated request with an Idempotency-Key', async () => {
    const client = petstore.client(await petstore.key());
    for (let i = 0; i < 2; i++) {
      await client
        .post('/v1/items')
        .set('Idempotency-Key', 'once')
        .send({ name: 'Rex', amount: 1 })
        .expect(201);
    }
    await sequencer.catchUp();
    expect(await feed()).toHaveLength(1);
  });

  it('are not recorded when the transaction is rolled back', async () => {
    const failing = dataSource.transaction(async (manager) => {
      await changes.in(manager).record(COUNTED, { counter: 1, value: 1 });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await sequencer.catchUp();
    expect(await feed()).toEqual([]);
  });

  it('cannot be recorded outside a transaction', async () => {
    await expect(changes.record(COUNTED, { counter: 1, value: 1 })).rejects.toThrow('outside a transaction');
  });

  describe('recorded for a change', () => {
    let item: Item;
    beforeEach(async () => {
      const values = { name: 'Rex', amount: 1, status: ItemStatus.Open };
      item = await changes.insert(Item, values, ITEM_CREATED);
    });
    const names = async () => (await dataSource.getRepository(Item).find()).map(({ name }) => name);
    const typesOfFeed = async () => {
      await sequencer.catchUp();
      return (await feed()).map(({ type }) => type);
    };
    /** PostgreSQL rejects it. */
    const TOO_LONG = 'x'.repeat(201);

    it('are written together with it, or not at all, outside a transaction', async () => {
      expect(await changes.update(Item, item, { name: 'Max' }, ITEM_UPDATED)).toMatchObject({
        id: item.id,
        name: 'Max',
      });
      await expect(changes.update(Item, item, { name: TOO_LONG }, ITEM_UPDATED)).rejects.toThrow(/check/);
      expect(await names()).toEqual(['Max']);
      expect(await typesOfFeed()).toEqual(['item.created', 'item.updated']);
    });

    it('fail together with it and its transaction, even if the error is caught', async () => {
      const outcomes: string[] = [];
      const done = dataSource.transaction(async (manager) => {
        await changes
          .in(manager)
          .update(Item, item, { name: TOO_LONG }, ITEM_UPDATED)
          .catch(() => outcomes.push('the change failed'));
        await manager.query('SELECT 1').catch(() => outcomes.push('so did what followed'));
      });
      await expect(done).rejects.toThrow('rolled back');
      expect(outcomes).toEqual(['the change failed', 'so did what followed']);
      expect(await names()).toEqual(['Rex']);
      expect(await typesOfFeed()).toEqual(['item.created']);
    });

    it('are not recorded if nothing changed', async () => {
      expect(await changes.update(Item, item, { name: 'Rex', status: undefined }, ITEM_UPDATED)).toBe(item);
      expect(await typesOfFeed()).toEqual(['item.created']);
    });

    it('are not recorded for a row that no longer exists', async () => {
      await dataSource.getRepository(Item).delete({ id: item.id });
      await expect(changes.update(Item, item, { name: 'Max' }, ITEM_UPDATED)).rejects.toThrow(
        'Could not find',
      );
      await expect(changes.delete(Item, item, ITEM_UPDATED)).rejects.toThrow('Could not find');
      expect(await typesOfFeed()).toEqual(['item.created']);
    });

    it.each([
      ['uses the id', (row: Item) => Object.assign(ItemResponse.from(row), { url: `/items/${row.id}` })],
      ['has the id elsewhere', ({ id, name }: Item) => ({ name, id })],
      ['has nothing but the id', ({ id }: Item) => ({ id })],
      ['leaves the id out', ({ name }: Item) => ({ name })],
    ])('have the data created by their type, when it %s', async (_, from) => {
      const type = { ...ITEM_CREATED, data: Object.assign(class {}, { from }) };
      const { id, ...values } = item;
      const row = await changes.insert(Item, values, type);
      expect(row.id).toBe(Number(id) + 1);
      await sequencer.catchUp();
      expect((await feed()).at(-1)?.data).toEqual(from(row));
    });
  });

  it('of a transaction that commits late come after those already in the feed', async () => {
    const late = dataSource.createQueryRunner();
    await late.startTransaction();
    await changes.in(late.manager).record(COUNTED, { counter: 1, value: 1 });
    await dataSource.transaction((manager) => changes.in(manager).record(COUNTED, { counter: 2, value: 1 }));
    await sequencer.catchUp();
    const before = await feed<Counted>();
    expect(before.map(({ data }) => data.counter)).toEqual([2]);

    await late.commitTransaction();
    await late.release();
    await sequencer.catchUp();
    expect((await feed<Counted>(before.at(-1)?.id)).map(({ data }) => data.counter)).toEqual([1]);
  });

  it('reach every reader once, and those of one row in commit order, while transactions commit out of order', async () => {
    const [counters, writers, each] = [5, 12, 40];
    await petstore.query('CREATE TABLE counters AS SELECT id, 0 AS value FROM generate_series(1, $1) AS id', [
      counters,
    ]);
    let writing = true;
    const kept: string[] = [];

    const write = async (): Promise<void> => {
      for (let i = 0; i < each; i++) {
        // Two rows, always in the same order to avoid deadlocks, with a random wait before the end.
        const ids = pick(counters, 2).sort((one, other) => one - other);
        const values: string[] = [];
        const isKept = Math.random() < 0.9;
        await dataSource
          .transaction(async (manager) => {
            for (const id of ids) {
              const [[row]] = await manager.query<[[{ value: number }]]>(
                'UPDATE counters SET value = value + 1 WHERE id = $1 RETURNING value',
                [id],
              );
              await changes.in(manager).record(COUNTED, { counter: id, value: row.value });
              values.push(`${id}:${row.value}`);
            }
            await manager.query('SELECT pg_sleep($1)', [Math.random() ** 4 / 50]);
            if (!isKept) throw new Error('rolled back');
            kept.push(...values);
          })
          .catch(() => undefined);
      }
    };
    const other = new EventSequencer(dataSource); // like another replica: it shares only the lock
    const read = async (source: EventSequencer): Promise<Row<Counted>[]> => {
      const seen: Row<Counted>[] = [];
      for (let last = false; !last;) {
        last = !writing;
        await source.catchUp();
        seen.push(...(await feed<Counted>(seen.at(-1)?.id)));
      }
      return seen;
    };

    const reading = [sequencer, other, sequencer, other].map(read);
    await Promise.all(Array.from({ length: writers }, write));
    writing = false;
    const all = await Promise.all(reading);

    for (const seen of all) {
      expect(seen.map(({ id }) => id)).toEqual(seen.map((_, i) => i + 1));
      expect(seen.map(({ data }) => `${data.counter}:${data.value}`).sort()).toEqual([...kept].sort());
      for (let counter = 1; counter <= counters; counter++) {
        const values = seen.filter(({ data }) => data.counter === counter).map(({ data }) => data.value);
        expect(values).toEqual(values.map((_, i) => i + 1));
      }
    }
  });
});

/** Different numbers from 1 to `max`. */
function pick(max: number, count: number): number[] {
  const all = Array.from({ length: max }, (_, i) => i + 1);
  return Array.from({ length: count }, () => all.splice(Math.floor(Math.random() * all.length), 1)[0] ?? 0);
}
