import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, UpdateDateColumn, VersionColumn } from 'typeorm';
import { EventSequencer } from '../../../src/platform/feed/events/event-sequencer.js';
import { Config } from '../../../src/platform/kernel/config/config.js';
import { createApp } from '../../../src/platform/program/bootstrap/create-app.js';
import { SERVICE } from '../../../src/service.js';
import { declareEventType } from '../../../src/platform/writes/unit-of-work/event-type.js';
import { eventType } from '../../../src/platform/index.js';
import { Changes } from '../../../src/platform/writes/unit-of-work/changes.js';
import type { Int64 } from '../../../src/platform/kernel/json/int64.js';
import { Item, ItemStatus } from '../../items/item.entity.js';
import { ItemResponse } from '../../items/item.dto.js';
import { ITEM_CREATED, ITEM_UPDATED, ItemsModule } from '../../items/items.module.js';
import { emptyFeed } from '../../support/event-feed.js';
import { Petstore } from '../../support/petstore.js';

class Counted {
  readonly counter!: number;
  readonly value!: number;

  static from({ counter, value }: Counted): Counted {
    return { counter, value };
  }
}
const COUNTED = eventType('counter.counted', Counted, { description: 'A counter counted.' });

@Module({})
class CountersModule {
  static readonly events = [COUNTED];
}

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

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [ItemsModule, CountersModule] });
    dataSource = petstore.app.get(DataSource);
    changes = petstore.app.get(Changes);
    sequencer = petstore.app.get(EventSequencer);
  });

  afterEach(() => emptyFeed(petstore));
  afterAll(() => petstore.stop());

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

  it('are not recorded when the transaction is rolled back', async () => {
    const failing = changes.transaction(async (inside) => {
      await inside.record(COUNTED, { counter: 1, value: 1 });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await sequencer.catchUp();
    expect(await feed()).toEqual([]);
  });

  it('cannot be recorded outside a transaction', async () => {
    await expect(changes.record(COUNTED, { counter: 1, value: 1 })).rejects.toThrow('outside a transaction');
  });

  it('are refused at the start of the service if no module lists their type', async () => {
    const forgotten = eventType('counter.forgotten', Counted, { description: 'Nothing lists it.' });
    try {
      const starting = createApp(SERVICE, new Config({}), petstore.databaseUrl);
      await expect(starting).rejects.toThrow(
        /^No module lists the event type .*counter\.forgotten.* in its static/,
      );
    } finally {
      declareEventType(forgotten);
    }
  });

  it('are refused if no module declares their type', async () => {
    const undeclared = { ...COUNTED, name: 'counter.reset' };
    const recorded = changes.transaction((inside) => inside.record(undeclared, { counter: 1, value: 1 }));
    await expect(recorded).rejects.toThrow('No module lists the event type counter.reset');
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
      const done = changes.transaction(async (inside) => {
        await inside
          .update(Item, item, { name: TOO_LONG }, ITEM_UPDATED)
          .catch(() => outcomes.push('the change failed'));
        await inside.manager.query('SELECT 1').catch(() => outcomes.push('so did what followed'));
        const values = { name: 'Max', amount: 1, status: ItemStatus.Open };
        for (let i = 0; i < 2; i++)
          await inside
            .transaction((nested) => nested.insert(Item, values, ITEM_CREATED))
            .catch(() => outcomes.push('and a transaction in it'));
      });
      await expect(done).rejects.toThrow();
      expect(outcomes).toEqual([
        'the change failed',
        'so did what followed',
        'and a transaction in it',
        'and a transaction in it',
      ]);
      expect(await names()).toEqual(['Rex']);
      expect(await typesOfFeed()).toEqual(['item.created']);
    });

    it('are not recorded if nothing changed', async () => {
      expect(await changes.update(Item, item, { name: 'Rex', status: undefined }, ITEM_UPDATED)).toEqual(
        item,
      );
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

    it('have the `id` first and then the data of their type, for every kind of change', async () => {
      class Described extends ItemResponse {
        static override from({ id, name }: Item): ItemResponse {
          const nested = { at: new Date(0), list: [9007199254740993n], toJSON: () => ({ name, json: true }) };
          return { name, nested, id } as unknown as ItemResponse;
        }
      }
      const type = { ...ITEM_CREATED, data: Described };
      const values = { name: 'Max', amount: 1, status: ItemStatus.Open };
      const alone = await changes.insert(Item, values, type);
      const inside = await changes.transaction((other) => other.insert(Item, values, type));
      const updated = await changes.update(Item, item, { name: 'Max' }, type);
      await sequencer.catchUp();
      const texts = await petstore.query<{ data: string }>(
        'SELECT data::text AS data FROM events ORDER BY id DESC LIMIT 3',
      );
      const dataOf = (id: Int64) => `{"id":${id},"name":"Max","nested":{"name":"Max","json":true}}`;
      expect(texts.map(({ data }) => data.replaceAll(' ', ''))).toEqual(
        [updated, inside, alone].map(({ id }) => dataOf(id)),
      );
    });

    it.each([
      ['a trigger', `CREATE TRIGGER lower BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION lower_name()`],
      ['a default of the table alone', `ALTER TABLE items ALTER amount SET DEFAULT 5`],
    ])('are the row as PostgreSQL has stored it, also with %s', async (_, sql) => {
      const own = await Petstore.start({ modules: [ItemsModule] });
      await own.query(`
        CREATE FUNCTION lower_name() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.name = lower(NEW.name); RETURN NEW; END $$;
        ${sql}`);
      const work = own.app.get(Changes);
      const insert = (by: Changes, name: string) =>
        by.insert(Item, { name, amount: 1, status: ItemStatus.Open }, ITEM_CREATED);
      const rows = await Promise.all([insert(work, 'MiXeD'), work.transaction((by) => insert(by, 'MiXeD'))]);
      await own.app.get(EventSequencer).catchUp();
      const events = await own.query<Row<Item>>('SELECT data FROM events ORDER BY id');
      const stored = await own.query<Item>('SELECT * FROM items ORDER BY id');
      expect(events.map(({ data }) => data)).toEqual(expect.arrayContaining(stored));
      expect(stored.map(({ name }) => name)).toEqual(expect.arrayContaining(rows.map(({ name }) => name)));
      await own.stop();
    });

    it('may have the id in a text, in another property and anywhere', async () => {
      class WithUrl extends ItemResponse {
        static override from(row: Item): ItemResponse {
          const url = `/items/${row.id}`;
          return Object.assign(ItemResponse.from(row), {
            url,
            sum: Number(row.id) + 1,
            nested: structuredClone({ id: row.id }),
            isNumber: typeof row.id === 'number',
            isSafe: Number.isSafeInteger(row.id),
          });
        }
      }
      const type = { ...ITEM_CREATED, data: WithUrl };
      const { name, amount, status } = item;
      const { id } = await changes.insert(Item, { name, amount, status }, type);
      await sequencer.catchUp();
      const [event] = await petstore.query<Row<object>>('SELECT data FROM events ORDER BY id DESC LIMIT 1');
      expect(event?.data).toEqual({
        ...{ id, name, amount, status, url: `/items/${id}` },
        ...{ sum: Number(id) + 1, nested: { id }, isNumber: true, isSafe: true },
      });
    });
  });

  describe('of rows with values set by PostgreSQL', () => {
    @Entity('on_parcels')
    class Parcel {
      @PrimaryGeneratedColumn('uuid')
      id!: string;

      @Column('numeric', { precision: 5, scale: 2, nullable: true })
      weight!: string | null;

      @VersionColumn()
      version!: number;

      @UpdateDateColumn({ type: 'timestamptz' })
      updatedAt!: Date;

      get isHeavy(): boolean {
        return Number(this.weight) > 10;
      }
    }

    class ParcelData {
      readonly id!: string;
      readonly weight!: string | null;
      readonly version!: number;
      readonly isHeavy!: boolean;

      static from({ id, weight, version, isHeavy }: Parcel): ParcelData {
        return { id, weight, version, isHeavy };
      }
    }

    const PARCEL_CHANGED = eventType('parcel.changed', ParcelData, { description: 'A parcel changed.' });

    @Module({ imports: [TypeOrmModule.forFeature([Parcel])] })
    class ParcelsModule {
      static readonly events = [PARCEL_CHANGED];
    }

    it('have what is stored, and so does the row that the caller gets', async () => {
      const own = await Petstore.start({ modules: [ParcelsModule] });
      await own.query(
        `CREATE TABLE on_parcels (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), weight numeric(5, 2),
           version int NOT NULL, "updatedAt" timestamptz NOT NULL DEFAULT now())`,
      );
      const work = own.app.get(Changes);
      const parcel = await work.insert(Parcel, { weight: '3.14159' }, PARCEL_CHANGED);
      const heavier = await work.update(Parcel, parcel, { weight: '12.345' }, PARCEL_CHANGED);
      expect([parcel, heavier]).toMatchObject([
        { weight: '3.14', version: 1, isHeavy: false },
        { weight: '12.35', version: 2, isHeavy: true },
      ]);
      expect(heavier.updatedAt.getTime()).toBeGreaterThan(parcel.updatedAt.getTime());
      await own.app.get(EventSequencer).catchUp();
      const { id } = parcel;
      expect(
        (await own.query('SELECT data FROM events ORDER BY id')).map((row) => (row as Row<object>).data),
      ).toEqual([
        { id, weight: '3.14', version: 1, isHeavy: false },
        { id, weight: '12.35', version: 2, isHeavy: true },
      ]);
      await own.stop();
    });
  });

  it('of a transaction that commits late come after those already in the feed', async () => {
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => (commit = resolve));
    let recorded: () => void = () => undefined;
    const isRecorded = new Promise<void>((resolve) => (recorded = resolve));
    const late = changes.transaction(async (inside) => {
      await inside.record(COUNTED, { counter: 1, value: 1 });
      recorded();
      await committed;
    });
    await isRecorded;
    await changes.transaction((inside) => inside.record(COUNTED, { counter: 2, value: 1 }));
    await sequencer.catchUp();
    const before = await feed<Counted>();
    expect(before.map(({ data }) => data.counter)).toEqual([2]);

    commit();
    await late;
    await sequencer.catchUp();
    expect((await feed<Counted>(before.at(-1)?.id)).map(({ data }) => data.counter)).toEqual([1]);
  });

  it('reach every reader once, and those of one row in commit order, while transactions commit out of order', async () => {
    const [counters, writers, each] = [5, 12, 20];
    await petstore.query(
      'CREATE TABLE on_counters AS SELECT id, 0 AS value FROM generate_series(1, $1) AS id',
      [counters],
    );
    let writing = true;
    const kept: string[] = [];

    const write = async (): Promise<void> => {
      for (let i = 0; i < each; i++) {
        // Two rows, always in the same order to avoid deadlocks, with a random wait before the end.
        const ids = pick(counters, 2).sort((one, other) => one - other);
        const values: string[] = [];
        const isKept = Math.random() < 0.9;
        await changes
          .transaction(async (inside) => {
            const { manager } = inside;
            for (const id of ids) {
              const [[row]] = await manager.query<[[{ value: number }]]>(
                'UPDATE on_counters SET value = value + 1 WHERE id = $1 RETURNING value',
                [id],
              );
              await inside.record(COUNTED, { counter: id, value: row.value });
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
