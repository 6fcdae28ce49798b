import { seconds } from '../../../src/platform/kernel/clock/duration.js';
import { ServiceClient } from '../../../src/platform/data/database/pool/service-client.js';
import { EventSequencer } from '../../../src/platform/feed/events/event-sequencer.js';
import { eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';

interface Sent {
  readonly text: string;
  /** A prepared statement has one. */
  readonly name?: string;
  readonly at: number;
}

describe('a process that nobody asks', () => {
  let petstore: Petstore;
  const sent: Sent[] = [];

  beforeAll(async () => {
    petstore = await Petstore.start();
    await petstore.key();
    await petstore.query(
      `INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ('pet.created', 1, now(), '{}')`,
    );
    await petstore.app.get(EventSequencer).catchUp();
    // Younger than the event, which it never gets.
    await petstore.query(
      `INSERT INTO webhooks (api_key_id, url, types, state, secret, after_event_id, created_at)
       SELECT api_keys.id, 'https://example.com', '{}', 'enabled', '', last_id, now() FROM api_keys, event_feed`,
    );
    const isRead = 'SELECT last_event_id = last_id AS "isRead" FROM webhook_feed, event_feed';
    await eventually(async () => (await petstore.query<{ isRead: boolean }>(isRead))[0]?.isRead === true);
    const query = Reflect.get(ServiceClient.prototype, 'query') as (...args: unknown[]) => unknown;
    jest.spyOn(ServiceClient.prototype, 'query').mockImplementation(function (this: unknown, ...args) {
      const [statement] = args as [string | Omit<Sent, 'at'>];
      const { text, name } = typeof statement === 'string' ? { text: statement } : statement;
      sent.push({ text, ...(name !== undefined && { name }), at: performance.now() });
      return query.apply(this, args);
    });
  });
  afterAll(() => petstore.stop());

  const looks = () => sent.filter(({ text }) => text.includes('event_outbox') && text.includes('busy_by'));

  it('asks PostgreSQL once a second, by one prepared statement, whether any work waits', async () => {
    await eventually(() => looks().length === 4);
    const [first, , , last] = looks();
    expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(seconds(2)); // a busy machine is later
    const others = sent.filter((statement) => !looks().includes(statement));
    const unprepared = others.filter(({ name, text }) => name === undefined && text !== 'SELECT 1');
    expect(unprepared).toEqual([]); // no transaction, nothing by TypeORM; SELECT 1 is the probe of the listener
    expect(new Set(looks().map(({ name }) => name)).size).toBe(1);
    expect(looks()[0]?.name).toBeDefined();
  });
});
