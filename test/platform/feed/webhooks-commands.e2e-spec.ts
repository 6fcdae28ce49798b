import { DataSource } from 'typeorm';
import { DeliveryStore } from '../../../src/platform/feed/webhooks/delivery/delivery-store.js';
import { WebhookOperations } from '../../../src/platform/feed/webhooks/webhook-operations.js';
import { petstore as command } from '../../support/command-line.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const LOCAL = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

let petstore: Petstore;
let receiver: WebhookReceiver;
let client: ReturnType<Petstore['client']>;
let webhook: { readonly id: number; readonly state: string };

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule], env: { ...LOCAL, WEBHOOK_WORKER: 'off' } });
  receiver = await WebhookReceiver.start();
  client = petstore.client(await petstore.key());
  const { body } = await client.post('/v1/webhooks').send({ url: receiver.url }).expect(201);
  webhook = body as typeof webhook;
});
afterAll(async () => {
  receiver.stop();
  await petstore.stop();
});

const env = () => ({ DATABASE_URL: petstore.databaseUrl });
const run = (...args: string[]) => command(args, env());
const json = async (...args: string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};

describe('petstore webhooks', () => {
  it('lists the webhooks of all keys', async () => {
    expect(await json('webhooks', 'list')).toMatchObject([{ id: webhook.id, url: receiver.url, pending: 0 }]);
    expect((await run('webhooks', 'list')).stdout).toMatch(/^ID +KEY +URL .*\n1 +1 +http:/);
  });

  describe('whose endpoint fails', () => {
    const MINUTE = (minute: number) => `2026-11-28T10:0${minute}:00.000Z`;
    beforeAll(async () => {
      const attempts = (...all: object[]) => JSON.stringify(all);
      await petstore.query(
        `INSERT INTO webhook_deliveries (webhook_id, event_id, type, state, next_attempt_at, attempts, created_at)
         SELECT $1, event_id, type, state, CASE WHEN state = 'pending' THEN now() END, attempts, now()
         FROM jsonb_to_recordset($2) AS row (event_id bigint, type text, state text, attempts jsonb)`,
        [
          webhook.id,
          `[${[
            `{ "event_id": 1, "type": "item.created", "state": "pending", "attempts": ${attempts(
              { at: MINUTE(1), milliseconds: 7, status: 500, error: 'http_status' },
              { at: MINUTE(4), milliseconds: 9, error: 'tls_failed' },
            )} }`,
            '{ "event_id": 2, "type": "item.created", "state": "pending", "attempts": [] }',
            `{ "event_id": 3, "type": "item.created", "state": "failed", "attempts": ${attempts({ at: MINUTE(3), milliseconds: 10_000, error: 'timeout' })} }`,
            `{ "event_id": null, "type": "webhook.ping", "state": "delivered", "attempts": ${attempts({ at: MINUTE(5), milliseconds: 3, status: 204 })} }`,
          ].join()}]`,
        ],
      );
    });
    afterAll(() => petstore.query('DELETE FROM webhook_deliveries'));

    it('are listed with the last error of what waits or has failed', async () => {
      const lastError = { at: MINUTE(4), milliseconds: 9, error: 'tls_failed' };
      expect(await json('webhooks', 'list')).toMatchObject([{ pending: 2, failed: 1, lastError }]);
      expect((await run('webhooks', 'list')).stdout).toMatch(/ LAST ERROR\n.+ 2 +1 +tls_failed\n$/);
    });

    it('are shown with their last attempts, newest first, and the errors of these', async () => {
      const shown = (await json('webhooks', 'show', String(webhook.id))) as { attempts: object[] };
      expect(shown).toMatchObject({ id: webhook.id, url: receiver.url, pending: 2, failed: 1 });
      expect(shown.attempts).toMatchObject([
        { at: MINUTE(5), eventId: null, type: 'webhook.ping', state: 'delivered', status: 204, error: null },
        { at: MINUTE(4), eventId: 1, state: 'pending', milliseconds: 9, status: null, error: 'tls_failed' },
        { at: MINUTE(3), eventId: 3, state: 'failed', status: null, error: 'timeout' },
        { at: MINUTE(1), eventId: 1, state: 'pending', status: 500, error: 'http_status' },
      ]);
      const { stdout } = await run('webhooks', 'show', String(webhook.id));
      expect(stdout).toMatch(/^ID .+\n1 .+\n\nAT +DELIVERY .+ ERROR\n(.+\n){4}$/);
    });
  });

  it('disables a webhook, which its owner then cannot enable, and enables it again', async () => {
    const id = String(webhook.id);
    const path = `/v1/webhooks/${id}`;
    expect(await json('webhooks', 'disable', id)).toEqual({ id: webhook.id, state: 'disabled' });
    expect((await client.get(path)).body).toMatchObject({ state: 'disabled', disabledReason: 'operator' });
    const { body } = await client.patch(path).send({ state: 'enabled' }).expect(409);
    expect(body).toMatchObject({ code: 'webhook_disabled_by_operator' });
    expect((await run('webhooks', 'enable', id)).stdout).toBe(`Webhook ${id} is enabled.\n`);
    expect((await client.get(path)).body).toMatchObject({ state: 'enabled' });
  });

  describe('retry', () => {
    /** Deliveries of pings, which no event has to be there for. The first `waiting` of them wait, the others failed long ago. */
    const add = async (count: number, { waiting = 0, to = webhook.id } = {}) => {
      await petstore.query(
        `INSERT INTO webhook_deliveries (webhook_id, type, state, tries, next_attempt_at, created_at)
         SELECT $1, 'webhook.ping', CASE WHEN n <= $3 THEN 'pending' ELSE 'failed' END, 9,
                CASE WHEN n <= $3 THEN now() + interval '10 hours' END, now() - interval '29 days'
         FROM generate_series(1, $2::integer) AS n`,
        [to, count, waiting],
      );
    };
    const states = () =>
      petstore.query(
        `SELECT state, tries, next_attempt_at <= now() AS due, count(*)::integer
         FROM webhook_deliveries GROUP BY state, tries, due ORDER BY state, tries`,
      );

    beforeEach(() => petstore.query('DELETE FROM webhook_deliveries'));

    it('sends what has failed, however long ago, and now what waits for its next attempt, in their order', async () => {
      await add(3, { waiting: 1 });
      await add(1, { waiting: 1 });
      const id = String(webhook.id);
      expect(await json('webhooks', 'retry', id)).toEqual({ id: webhook.id, retried: 4 });
      expect(await states()).toEqual([{ state: 'pending', tries: 0, due: true, count: 4 }]);
      const claimed = (await petstore.app.get(DeliveryStore).claim(id)).map((each) => Number(each.id));
      expect(claimed).toEqual([...claimed].sort((a, b) => a - b));
      await petstore.app.get(DeliveryStore).release(id);
    });

    it('does not touch what was delivered, and finds nothing again', async () => {
      await add(1);
      await petstore.query(`UPDATE webhook_deliveries SET state = 'delivered'`);
      await add(1);
      const id = String(webhook.id);
      expect((await run('webhooks', 'retry', id)).stdout).toBe(
        `1 delivery of webhook ${id} will be sent again.\n`,
      );
      expect(await json('webhooks', 'retry', id)).toEqual({ id: webhook.id, retried: 0 });
      expect(await states()).toMatchObject([{ state: 'delivered' }, { state: 'pending', count: 1 }]);
    });

    it('leaves alone what a process is sending, so that it is not sent twice, and sends the rest', async () => {
      await add(9);
      const id = String(webhook.id);
      await run('webhooks', 'retry', id);
      const store = petstore.app.get(DeliveryStore);
      const claimed = await store.claim(id);
      expect(claimed).toHaveLength(8);
      await add(1, { waiting: 1 });
      expect(await json('webhooks', 'retry', id)).toMatchObject({ retried: 1 });
      const outcomes = claimed.map((each) => ({ ...each, state: 'delivered' as const }));
      expect(await store.write(outcomes)).toBe(false);
      await store.release(id);
      expect(await states()).toMatchObject([
        { state: 'delivered', count: 8 },
        { state: 'pending', due: true, count: 2 },
      ]);
    });

    it('ends the pause of an endpoint that fails', async () => {
      await petstore.query(`UPDATE webhooks SET busy_until = now() + interval '1 hour'`);
      await run('webhooks', 'retry', String(webhook.id));
      expect(await petstore.query('SELECT busy_until FROM webhooks')).toEqual([{ busy_until: null }]);
    });

    it('leaves out an event that has expired, which cannot be sent', async () => {
      await add(2);
      await petstore.query(
        'UPDATE webhook_deliveries SET event_id = 4711 WHERE id = (SELECT min(id) FROM webhook_deliveries)',
      );
      expect(await json('webhooks', 'retry', String(webhook.id))).toMatchObject({ retried: 1 });
      expect(await states()).toMatchObject([
        { state: 'failed', count: 1 },
        { state: 'pending', count: 1 },
      ]);
    });

    it('sends each of thousands once, also when two operators ask for it at the same time', async () => {
      await add(5_500, { waiting: 2_500 });
      const operations = new WebhookOperations(petstore.app.get(DataSource));
      const [first, second] = await Promise.all([operations.retry(webhook.id), operations.retry(undefined)]);
      expect((first[0]?.retried ?? 0) + (second[0]?.retried ?? 0)).toBe(5_500);
      expect(await states()).toEqual([{ state: 'pending', tries: 0, due: true, count: 5_500 }]);
    });

    it('without an id sends those of all webhooks, and names those to which nothing is sent', async () => {
      const other = await client.post('/v1/webhooks').send({ url: receiver.url }).expect(201);
      const { id } = other.body as { id: number };
      await add(2);
      await add(3, { to: id });
      expect(await json('webhooks', 'retry')).toEqual([
        { id: webhook.id, retried: 2, obstacle: null },
        { id, retried: 3, obstacle: null },
      ]);
      await petstore.query(`UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL`);
      await run('webhooks', 'disable', String(id));
      expect((await run('webhooks', 'retry')).stdout).toBe(
        '2 deliveries of all webhooks will be sent again.\n' +
          `Nothing is sent to webhooks that are disabled, or whose key is revoked, has expired or lacks a scope: ${id}.\n`,
      );
      expect(await states()).toMatchObject([
        { state: 'failed', count: 3 },
        { state: 'pending', count: 2 },
      ]);
      await petstore.query(`DELETE FROM webhooks WHERE id = ${id}`);
    });
  });

  it('does not retry for a disabled webhook, to which nothing is sent', async () => {
    const id = String(webhook.id);
    await run('webhooks', 'disable', id);
    const { code, stdout, stderr } = await run('webhooks', 'retry', id);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`petstore: Webhook ${id} is disabled. First run petstore webhooks enable ${id}.\n`);
    await run('webhooks', 'enable', id);
  });

  it('does not retry for a webhook whose key is revoked', async () => {
    const id = String(webhook.id);
    await petstore.query('UPDATE api_keys SET revoked_at = now()');
    const { code, stderr } = await run('webhooks', 'retry', id);
    expect(await run('webhooks', 'enable', id)).toMatchObject({
      code: 0,
      stdout: `Webhook ${id} is enabled, but nothing is sent to it: its key is revoked, has expired or lacks a scope.\n`,
    });
    expect((await run('webhooks', 'list')).stdout).toContain('enabled (its key cannot receive)');
    expect(await json('webhooks', 'list')).toMatchObject([{ state: 'enabled', obstacle: 'key' }]);
    await petstore.query('UPDATE api_keys SET revoked_at = NULL');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `petstore: Nothing is sent to webhook ${id}: its key is revoked, has expired or lacks a scope.\n`,
    });
  });

  it('enables a webhook for later events only', async () => {
    const operations = new WebhookOperations(petstore.app.get(DataSource));
    await operations.disable(webhook.id);
    await client.post('/v1/items').send({ name: 'Rex', amount: 7 }).expect(201);
    await operations.enable(webhook.id);
    const events = (await client.get('/v1/events')).body as { readonly id: number }[];
    const [row] = await petstore.query('SELECT after_event_id::integer AS after FROM webhooks');
    expect(row).toEqual({ after: events.at(-1)?.id });
  });

  it.each([
    ['an id that no webhook has', 'disable', '4711', 'There is no webhook with the id 4711.', 1],
    ['what is not an id', 'enable', 'first', '"first" is not the id of a webhook.', 2],
    ['an id that no webhook has', 'show', '4711', 'There is no webhook with the id 4711.', 1],
    ['an id that no webhook has', 'retry', '4711', 'There is no webhook with the id 4711.', 1],
  ])('says in one line that %s is not a webhook', async (_, action, id, line, expected) => {
    const { code, stderr } = await run('webhooks', action, id);
    expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining(line) as unknown });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
