import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventSequencer } from '../../../src/platform/feed/events/event-sequencer.js';
import { Config } from '../../../src/platform/kernel/config/config.js';
import { createApp } from '../../../src/platform/program/bootstrap/create-app.js';
import { SERVICE } from '../../../src/service.js';
import { declareEventType } from '../../../src/platform/writes/unit-of-work/event-type.js';
import { eventType } from '../../../src/platform/index.js';
import { Changes } from '../../../src/platform/writes/unit-of-work/changes.js';
import { ItemsModule } from '../../items/items.module.js';
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

  it('are refused at the start of the service if another type of their name is listed', async () => {
    const name = 'counter.twice';
    declareEventType(eventType(name, Counted, { description: 'It is listed.' }));
    eventType(name, Counted, { description: 'Nothing lists it.' });
    const starting = createApp(SERVICE, new Config({}), petstore.databaseUrl);
    await expect(starting).rejects.toThrow(
      /^No module lists the event type .*counter\.twice \(but another of this name\).* in its static/,
    );
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
