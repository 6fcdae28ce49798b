import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { EventSequencer } from '../../../src/platform/feed/events/event-sequencer.js';
import { EventHousekeeping } from '../../../src/platform/feed/events/event-housekeeping.js';
import { days } from '../../../src/platform/kernel/clock/duration.js';
import { ItemsModule } from '../../items/items.module.js';
import { emptyFeed } from '../../support/event-feed.js';
import { petstore as command } from '../../support/command-line.js';
import { becomes } from '../../support/eventually.js';
import { withClient } from '../../support/test-database.js';
import { Petstore } from '../../support/petstore.js';

interface Event {
  readonly id: number;
  readonly type: string;
}

describe('GET /v1/events', () => {
  let petstore: Petstore;
  let client: ReturnType<Petstore['client']>;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [ItemsModule] });
    client = petstore.client(await petstore.key());
  });

  afterEach(() => emptyFeed(petstore));
  afterAll(() => petstore.stop());

  const createItems = async (...names: string[]): Promise<void> => {
    for (const name of names) await client.post('/v1/items').send({ name, amount: 7 }).expect(201);
  };
  const page = async (url: string): Promise<{ events: Event[]; next: string }> => {
    const { body, headers } = await client.get(url).expect(200);
    const [, next = ''] = /^<http:\/\/petstore\.test([^>]+)>; rel="next"$/.exec(headers.link ?? '') ?? [];
    return { events: body as Event[], next };
  };
  /** Events that need not be those of items. */
  const addEvents = async (count: number, type: string, at = petstore.clock.now()): Promise<void> => {
    await petstore.query(
      `INSERT INTO event_outbox (type, version, occurred_at, data)
       SELECT $2, 1, $3, '{}' FROM generate_series(1, $1)`,
      [count, type, new Date(at)],
    );
    await petstore.app.get(EventSequencer).catchUp();
  };

  it('lists events immediately', async () => {
    await createItems('Rex');
    const { body } = await client.get('/v1/events').expect(200);
    expect(body).toEqual([
      {
        id: 1,
        type: 'item.created',
        version: 1,
        occurredAt: new Date(petstore.clock.now()).toISOString(),
        data: { id: 1, name: 'Rex', amount: 7, status: 'open' },
      },
    ]);
  });

  it('keeps 64-bit integers exact', async () => {
    await client
      .post('/v1/items')
      .set('Content-Type', 'application/json')
      .send('{"name":"Rex","amount":9223372036854775807}');
    const { text } = await client.get('/v1/events').expect(200);
    expect(text).toContain('"amount":9223372036854775807');
  });

  it('follows the cursor over pages, past the newest event, to later events', async () => {
    const first = await page('/v1/events?limit=2');
    expect(first.events).toEqual([]);
    await createItems('a', 'b', 'c');
    const second = await page(first.next);
    const third = await page(second.next);
    expect([second, third].map(({ events }) => events.map(({ id }) => id))).toEqual([[1, 2], [3]]);
    const fourth = await page(third.next);
    expect(fourth.events).toEqual([]);
    await createItems('d');
    expect((await page(fourth.next)).events).toMatchObject([{ id: 4 }]);
  });

  it('filters by type', async () => {
    await addEvents(3, 'test.other');
    await createItems('Rex');
    await addEvents(3, 'test.other');
    const { events, next } = await page('/v1/events?type=item.created&limit=1');
    expect(events).toMatchObject([{ id: 4, type: 'item.created' }]);
    expect((await page(next)).events).toEqual([]);
  });

  it('refuses an unknown type, a bad limit and a cursor of another filter with 400', async () => {
    const { next } = await page('/v1/events');
    for (const url of ['/v1/events?type=item.sung', '/v1/events?limit=101', `${next}&type=item.created`]) {
      await client.get(url).expect(400);
    }
  });

  describe('with a cursor that is ahead of the feed, as after the restore of an older copy', () => {
    const goBack = () => petstore.query(`DELETE FROM events WHERE id > 1; UPDATE event_feed SET last_id = 1`);
    const restored = async () => {
      await createItems('a', 'b', 'c');
      const all = await page('/v1/events');
      const ofOne = await page('/v1/events?type=item.created');
      await goBack();
      return [all.next, ofOne.next];
    };
    const newIds = async (): Promise<number> => {
      const { code, stdout } = await command(['new-ids', '--json'], { DATABASE_URL: petstore.databaseUrl });
      expect(code).toBe(0);
      return (JSON.parse(stdout) as { lastEventId: number }).lastEventId;
    };
    const newItem = async () =>
      (await client.post('/v1/items').send({ name: 'new', amount: 7 }).expect(201)).body as { id: number };

    it('is 410: the events up to the cursor are going to be others', async () => {
      for (const next of await restored()) {
        const { body } = await client.get(next).expect(410);
        expect(body).toMatchObject({ code: 'events_expired' });
      }
      await createItems('another');
      expect((await page('/v1/events')).events.map(({ id }) => id)).toEqual([1, 2]);
    });

    it('stays 410 after petstore new-ids, as its reader has seen what is lost', async () => {
      const cursors = await restored();
      const ahead = (await petstore.query('SELECT max(id) + 2 AS id FROM items')) as [{ id: number }];
      await newIds();
      for (const next of cursors) await client.get(next).expect(410);
      expect((await newItem()).id).toBeGreaterThan(ahead[0].id);
      for (const next of cursors) await client.get(next).expect(410);
    });

    it('is read on after petstore new-ids if it is not ahead, and misses nothing that is new', async () => {
      const begin = await page('/v1/events?since=now');
      await createItems('a', 'b');
      const cursors = [
        begin,
        await page('/v1/events?limit=1'),
        await page('/v1/events'),
        await page('/v1/events?type=item.created'),
      ];
      await createItems('lost', 'lost');
      await page('/v1/events');
      await petstore.query(`DELETE FROM events WHERE id > 2; UPDATE event_feed SET last_id = 2`);
      const last = await newIds();
      const later = await page('/v1/events?since=now');
      for (const { next } of [...cursors, later]) await client.get(next).expect(200);
      await newItem();
      const seen = await Promise.all(
        [...cursors, later].map(async ({ next }) => (await page(next)).events.map(({ id }) => id)),
      );
      expect(seen).toEqual([[1, 2, last + 1], [2], [last + 1], [last + 1], [last + 1]]);
    });

    it('has no id twice if the same copy is restored again', async () => {
      await restored();
      const [{ key }] = (await petstore.query('SELECT max(id) AS key FROM items')) as [{ key: number }];
      await newIds();
      const before = { item: (await newItem()).id, event: (await page('/v1/events')).events.at(-1)?.id };
      await goBack();
      await petstore.query(`SELECT setval(pg_get_serial_sequence('items', 'id'), $1)`, [key]);
      await newIds();
      expect((await newItem()).id).toBeGreaterThan(before.item);
      expect((await page('/v1/events')).events.at(-1)?.id).toBeGreaterThan(before.event ?? Infinity);
    });

    it('has no id twice either in a table whose ids are integers', async () => {
      await petstore.query('CREATE TABLE toys (id serial PRIMARY KEY)');
      const newToy = async () =>
        ((await petstore.query('INSERT INTO toys DEFAULT VALUES RETURNING id')) as [{ id: number }])[0].id;
      const copy = await newToy();
      await newIds();
      expect(await newToy()).toBeGreaterThan(copy + 20_000_000); // one for each second since 2026 began
      await petstore.query(`SELECT setval('toys_id_seq', 2000000000)`);
      await petstore.query(
        'CREATE SEQUENCE tickets MAXVALUE 9999; CREATE SEQUENCE down AS integer INCREMENT -1',
      );
      await newIds();
      expect(await newToy()).toBe(2_010_000_001);
      expect(await petstore.query(`SELECT nextval('tickets') AS ticket, nextval('down') AS down`)).toEqual([
        { ticket: 1, down: -1 },
      ]);
      await petstore.query('DROP SEQUENCE tickets, down');
      await petstore.query('DROP TABLE toys');
    });

    it('has no id twice if ids began higher than the time says', async () => {
      await restored();
      await petstore.query('UPDATE event_feed SET last_id = $1', [2n ** 52n]);
      expect(await newIds()).toBe(2 ** 52 + 1_000_000_000);
    });
  });

  it('petstore new-ids beside the service loses no event, and gives those that wait the ids before the gap', async () => {
    await createItems('a');
    await page('/v1/events');
    await petstore.query(
      `INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ('item.created', 1, now(), '{}')`,
    );
    await withClient(petstore.databaseUrl, async (writer) => {
      await writer.query('BEGIN');
      await writer.query(
        `INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ('item.created', 1, now(), '{}')`,
      );
      await command(['new-ids'], { DATABASE_URL: petstore.databaseUrl });
      await writer.query('COMMIT');
    });
    const ids = (await page('/v1/events')).events.map(({ id }) => id);
    expect(ids).toEqual([1, 2, expect.any(Number)]);
    expect(ids[2]).toBeGreaterThan(1_000_000_000);
  });

  it('petstore new-ids names sequences that have no room for other ids', async () => {
    await petstore.query(`CREATE TABLE shelves (id serial, no smallserial);
      SELECT setval('shelves_id_seq', 2147000000)`);
    const { code, stdout, stderr } = await command(['new-ids'], { DATABASE_URL: petstore.databaseUrl });
    await petstore.query('DROP TABLE shelves');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ new rows of other sequences have ids far above the last ones\.\n$/);
    expect(stderr.trimEnd().split('\n').sort()).toEqual(
      ['id', 'no'].map(
        (name) =>
          `petstore: public.shelves_${name}_seq has no room for other ids than those after the backup: it goes on where the copy ends`,
      ),
    );
  });

  it('answers while PostgreSQL is read-only, like other reads: the latest changes follow later', async () => {
    await createItems('Rex');
    const { next } = await page('/v1/events');
    const name = new URL(petstore.databaseUrl).pathname.slice(1);
    await petstore.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await withClient(petstore.databaseUrl, async (one) => {
      const others = 'pid <> pg_backend_pid() AND datname = current_database()';
      await one.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE ${others}`);
      await one.query(
        `BEGIN READ WRITE;
         INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ('item.created', 1, now(), '{}');
         COMMIT`,
      );
      await becomes(async () => (await client.get('/v1/items')).status, 200);
      expect((await page('/v1/events')).events).toHaveLength(1);
      expect((await page(next)).events).toEqual([]);
      // A standby that is behind, after a failover: what it does not have yet comes later.
      const after = async (last: number) => {
        await one.query(`BEGIN READ WRITE; UPDATE event_feed SET last_id = ${last}; COMMIT`);
        return page(next);
      };
      expect(await after(0)).toEqual({ events: [], next });
      await after(1);
      await one.query(
        `BEGIN READ WRITE; ALTER DATABASE ${name} SET default_transaction_read_only = off; COMMIT`,
      );
      await one.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE ${others}`);
    });
    await becomes(async () => (await client.get('/v1/items')).status, 200);
    expect((await page(next)).events).toMatchObject([{ id: 2 }]);
  });

  describe('with since=now', () => {
    const now = (query = '') => page(`/v1/events?since=now${query}`);

    it('is an empty page whose link leads to what is committed afterwards, and to nothing else', async () => {
      await createItems('a', 'b');
      const { events, next } = await now('&limit=1');
      expect(events).toEqual([]);
      expect(next).toMatch(/^\/v1\/events\?limit=1&cursor=[\w-]+$/);
      expect((await page(next)).events).toEqual([]);
      await createItems('c', 'd');
      const first = await page(next);
      const second = await page(first.next);
      expect([first, second].map(({ events: some }) => some.map(({ id }) => id))).toEqual([[3], [4]]);
    });

    it('works in an empty feed', async () => {
      const { next } = await now();
      await createItems('a');
      expect((await page(next)).events).toMatchObject([{ id: 1 }]);
    });

    it('misses no event of a transaction that was open, however long ago it recorded it', async () => {
      await withClient(petstore.databaseUrl, async (writer) => {
        await writer.query('BEGIN');
        await writer.query(
          `INSERT INTO event_outbox (type, version, occurred_at, data)
           VALUES ('item.created', 1, now() - interval '1 hour', '{}')`,
        );
        await createItems('a');
        const { next } = await now();
        await writer.query('COMMIT');
        await createItems('b');
        expect((await page(next)).events.map(({ id }) => id)).toEqual([2, 3]);
      });
    });

    it('keeps its type, to which its link is bound', async () => {
      const { next } = await now('&type=item.created');
      await addEvents(3, 'test.other');
      await createItems('a');
      expect((await page(next)).events).toMatchObject([{ id: 4, type: 'item.created' }]);
      const body = await client.get(next.replace('type=item.created&', '')).expect(400);
      expect(body.body).toMatchObject({ code: 'invalid_cursor' });
    });

    it('does not expire while nothing happens', async () => {
      await addEvents(3, 'test.old');
      const { next } = await now();
      petstore.clock.advance(days(30) + 1);
      await petstore.app.get(EventHousekeeping).clear();
      await createItems('young');
      expect((await page(next)).events).toMatchObject([{ id: 4 }]);
    });

    it('has another ETag after another event', async () => {
      const { headers } = await client.get('/v1/events?since=now').expect(200);
      const again = client.get('/v1/events?since=now').set('If-None-Match', headers.etag ?? '');
      await again.expect(304);
      await createItems('a');
      await client
        .get('/v1/events?since=now')
        .set('If-None-Match', headers.etag ?? '')
        .expect(200);
    });

    it('is refused with a cursor, and as any other word', async () => {
      const { next } = await now();
      const refused = async (url: string) => (await client.get(url).expect(400)).body as unknown;
      const details = (message: string, code?: string) => ({
        details: [{ in: 'query', field: 'since', message, ...(code !== undefined && { code }) }],
      });
      for (const cursor of ['first', 'x', ''])
        expect(await refused(`/v1/events?since=now&cursor=${cursor}`)).toMatchObject(
          details('since cannot be combined with cursor', 'combination'),
        );
      expect(await refused(`${next}&since=now`)).toMatchObject(
        details('since cannot be combined with cursor', 'combination'),
      );
      for (const word of ['', 'NOW', 'now%20', '0', '2026-11-20T09:30:00Z'])
        expect(await refused(`/v1/events?since=${word}`)).toMatchObject(details('since must be now'));
      expect(await refused('/v1/events?since=now&since=now')).toMatchObject(
        details('since must be given once'),
      );
    });
  });

  it('needs the scope events:read', async () => {
    const { secret } = await petstore.app
      .get(ApiKeysService)
      .create({ name: 'no events', plan: 'free', scopes: ['items:read'] });
    const { body } = await petstore.client(secret).get('/v1/events').expect(403);
    expect(body).toMatchObject({ code: 'insufficient_scope' });
  });

  describe('after 30 days', () => {
    it('deletes events, and returns 410 to a reader that has missed some', async () => {
      const { next: start } = await page('/v1/events');
      await addEvents(2_500, 'test.old');
      const { next: inTheMiddle } = await page('/v1/events?limit=100');
      petstore.clock.advance(days(30) + 1);
      await createItems('young');
      await petstore.app.get(EventHousekeeping).clear();

      expect((await page('/v1/events')).events).toMatchObject([{ id: 2_501, type: 'item.created' }]);
      for (const url of [start, inTheMiddle]) {
        const { body } = await client.get(url).expect(410);
        expect(body).toMatchObject({ code: 'events_expired', status: 410 });
      }
    });

    it('continues for a reader that has read everything, even if it has seen no event of its type', async () => {
      await addEvents(5, 'test.old');
      const { next } = await page('/v1/events?type=item.created');
      petstore.clock.advance(days(30) + 1);
      await petstore.app.get(EventHousekeeping).clear();
      await createItems('young');
      expect((await page(next)).events).toMatchObject([{ id: 6 }]);
    });

    it('deletes old events even behind a thousand that are dated in the future', async () => {
      await addEvents(1_000, 'test.future', petstore.clock.now() + days(100));
      await addEvents(5, 'test.old');
      petstore.clock.advance(days(30) + 1);
      await petstore.app.get(EventHousekeeping).clear();
      expect(await petstore.query('SELECT DISTINCT type FROM events')).toEqual([{ type: 'test.future' }]);
    });

    it('deletes old events even behind a thousand that a process with a fast clock recorded', async () => {
      await addEvents(1_000, 'test.young', petstore.clock.now() + days(10));
      await addEvents(1_500, 'test.old');
      await addEvents(1, 'test.young', petstore.clock.now() + days(10));
      await addEvents(5, 'test.old');
      petstore.clock.advance(days(30) + 1);
      await petstore.app.get(EventHousekeeping).clear();
      expect(await petstore.query('SELECT type, count(*)::integer FROM events GROUP BY type')).toEqual([
        { type: 'test.young', count: 1_001 },
      ]);
    });

    it('keeps younger events', async () => {
      await addEvents(3, 'test.old');
      petstore.clock.advance(days(30) - 1);
      await petstore.app.get(EventHousekeeping).clear();
      expect((await page('/v1/events')).events).toHaveLength(3);
    });
  });
});
