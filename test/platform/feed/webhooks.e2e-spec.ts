import { Webhook as Verifier } from 'standardwebhooks';
import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { EventsService } from '../../../src/platform/feed/events/events.service.js';
import { days, hours, minutes, seconds } from '../../../src/platform/kernel/clock/duration.js';
import { WebhookDeliverer } from '../../../src/platform/feed/webhooks/delivery/webhook-deliverer.js';
import { FanOut } from '../../../src/platform/feed/webhooks/delivery/fan-out.js';
import { WebhookHousekeeping } from '../../../src/platform/feed/webhooks/delivery/webhook-housekeeping.js';
import { eventually } from '../../support/eventually.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { PREFIX } from '../../support/prefix.js';

interface Webhook {
  readonly id: number;
  readonly state: string;
  readonly secret: string;
  readonly disabledReason?: string;
}
interface Delivery {
  readonly id: number;
  readonly eventId?: number;
  readonly type: string;
  readonly state: string;
  readonly nextAttemptAt?: string;
  readonly attempts: readonly { readonly status?: number; readonly error?: string }[];
}

const LOCAL = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

/** SQL: a time of the database in Unix milliseconds. */
const inMilliseconds = (time: string): string => `(extract(epoch FROM ${time}) * 1000)::float8`;

describe('webhooks, delivered by the service', () => {
  let petstore: Petstore;
  let receiver: WebhookReceiver;
  let client: ReturnType<Petstore['client']>;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [ItemsModule], env: LOCAL });
    petstore.clock.set(Date.now()); // the library compares a message's time with the real time
    receiver = await WebhookReceiver.start();
    client = petstore.client(await petstore.key());
  });
  afterAll(async () => {
    receiver.stop();
    await petstore.stop();
  });

  it('receive the events of the feed, signed so that the reference library verifies them', async () => {
    const { body: webhook } = await client.post('/v1/webhooks').send({ url: receiver.url }).expect(201);
    await client.post('/v1/items').send({ name: 'Rex', amount: 7 }).expect(201);
    const { headers, body } = await receiver.message(0);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(new RegExp(`^${PREFIX}-webhooks/\\d`)),
    });

    const event = new Verifier((webhook as Webhook).secret).verify(body, headers);
    const feed = await client.get('/v1/events').expect(200);
    expect([event]).toEqual(feed.body);
    expect(headers['webhook-id']).toBe(String((event as { id: number }).id));

    const path = `/v1/webhooks/${(webhook as Webhook).id}/deliveries`;
    await eventually(async () => (await client.get(path)).body[0]?.state === 'delivered');
    expect((await client.get(path)).body).toMatchObject([
      { type: 'item.created', eventId: 1, attempts: [{ status: 204 }] },
    ]);
  });

  it('receive a ping', async () => {
    const { body: webhook } = await client.post('/v1/webhooks').send({ url: receiver.url }).expect(201);
    const before = receiver.received.length;
    const { body: delivery } = await client.post(`/v1/webhooks/${(webhook as Webhook).id}/ping`).expect(202);
    expect(delivery).toMatchObject({ type: 'webhook.ping', state: 'pending', attempts: [] });
    const { headers, body } = await receiver.message(before);
    expect(new Verifier((webhook as Webhook).secret).verify(body, headers)).toMatchObject({
      type: 'webhook.ping',
      data: { webhookId: (webhook as Webhook).id },
    });
    expect(headers['webhook-id']).toBe(`ping-${(delivery as Delivery).id}`);
    expect(JSON.parse(body)).toMatchObject({ id: (delivery as Delivery).id });
  });
});

describe('webhooks', () => {
  let petstore: Petstore;
  let receiver: WebhookReceiver;
  let client: ReturnType<Petstore['client']>;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [ItemsModule], env: { ...LOCAL, WEBHOOK_WORKER: 'off' } });
  });
  afterAll(() => petstore.stop());
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    client = petstore.client(await petstore.key());
  });
  afterEach(async () => {
    receiver.stop();
    await petstore.query('TRUNCATE webhooks, webhook_deliveries, event_outbox, events, items CASCADE');
  });

  const create = async (body: object = {}): Promise<Webhook> =>
    (
      await client
        .post('/v1/webhooks')
        .send({ url: receiver.url, ...body })
        .expect(201)
    ).body;
  const get = async (id: number): Promise<Webhook> =>
    (await client.get(`/v1/webhooks/${id}`).expect(200)).body;
  const addItem = (name = 'Rex') => client.post('/v1/items').send({ name, amount: 7 }).expect(201);
  const deliveries = async (id: number, query = ''): Promise<Delivery[]> =>
    (await client.get(`/v1/webhooks/${id}/deliveries${query}`).expect(200)).body;
  /** Like a worker. */
  const fanOut = async (): Promise<void> => {
    await petstore.app.get(EventsService).catchUp();
    await petstore.app.get(FanOut).run();
  };
  /** Like a worker that looks for due deliveries. */
  const deliver = (id: number): Promise<void> => petstore.app.get(WebhookDeliverer).deliver(String(id));
  const work = async (id: number): Promise<void> => {
    await fanOut();
    await deliver(id);
  };
  /** Lets time pass by the clock of the database, by moving its rows into the past. @param time milliseconds */
  const pass = (time: number) =>
    petstore.query(
      `WITH past AS (SELECT make_interval(secs => $1) AS time), deliveries AS (
         UPDATE webhook_deliveries SET created_at = created_at - time, next_attempt_at = next_attempt_at - time FROM past
       )
       UPDATE webhooks SET failing_since = failing_since - time, busy_until = busy_until - time FROM past`,
      [time / 1000],
    );
  /** The clock of the database, in milliseconds. */
  const databaseTime = async (): Promise<number> => {
    const [row] = await petstore.query<{ time: number }>(`SELECT ${inMilliseconds('now()')} AS time`);
    return row?.time ?? NaN;
  };

  /** The age that the metric has, in seconds. */
  const backlog = async (): Promise<number> => {
    await petstore.app.get(WebhookHousekeeping).measure();
    petstore.clock.advance(minutes(1)); // metrics are cached for a moment
    const { text } = await petstore.client().get('/metrics');
    return Number(new RegExp(String.raw`^${PREFIX}_webhook_backlog_seconds (\S+)`, 'm').exec(text)?.[1]);
  };

  describe('their lifecycle', () => {
    it('shows the secret once', async () => {
      const { secret, ...webhook } = await create({ types: ['item.created'] });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(webhook).toMatchObject({ url: receiver.url, types: ['item.created'], state: 'enabled' });
      expect(await get(webhook.id)).toEqual(webhook);
      expect((await client.get('/v1/webhooks').expect(200)).body).toEqual([webhook]);
    });

    it('does not exist for another key', async () => {
      const { id } = await create();
      await addItem();
      await fanOut();
      const [delivery] = await deliveries(id);
      const other = petstore.client(await petstore.key());
      expect((await other.get('/v1/webhooks').expect(200)).body).toEqual([]);
      const path = `/v1/webhooks/${id}`;
      await other.get(path).expect(404);
      await other.patch(path).send({ state: 'disabled' }).expect(404);
      await other.delete(path).expect(404);
      for (const action of ['rotate-secret', 'ping', `deliveries/${delivery?.id}/retry`]) {
        const { body } = await other.post(`${path}/${action}`).expect(404);
        expect(body).toMatchObject({ code: 'webhook_not_found' });
      }
      await other.get(`${path}/deliveries`).expect(404);
    });

    it.each([
      ['a private address', 'https://10.0.0.1/'],
      ['http to a public address', 'http://8.8.8.8/'],
      ['too many characters', `https://8.8.8.8/${'a'.repeat(2_048)}`],
      ['U+0000', 'https://8.8.8.8/\0'],
      ['a backslash', 'https://8.8.8.8\\@10.0.0.1/'],
      ['no host', 'https:///8.8.8.8/'],
      ['an empty user name', 'https://@8.8.8.8/'],
      ['an empty user name and password', 'https://:@8.8.8.8/'],
      ['an empty fragment', 'https://8.8.8.8/#'],
    ])('refuses a URL that has %s', async (_, url) => {
      const { body } = await client.post('/v1/webhooks').send({ url }).expect(400);
      expect(body).toMatchObject({ code: 'validation_failed', details: [{ field: 'url' }] });
      const { id } = await create();
      await client.patch(`/v1/webhooks/${id}`).send({ url }).expect(400);
    });

    it('refuses unknown and duplicate types', async () => {
      for (const types of [['item.sung'], ['item.created', 'item.created'], 'item.created', null]) {
        await client.post('/v1/webhooks').send({ url: receiver.url, types }).expect(400);
      }
    });

    it.each([
      ['free', 2],
      ['pro', 5],
      ['business', 20],
      ['enterprise', 50],
    ] as const)('allows a key of the plan %s %i, even for concurrent requests', async (plan, max) => {
      const owner = petstore.client(await petstore.key(plan));
      const results = await Promise.all(
        Array.from({ length: max + 3 }, () => owner.post('/v1/webhooks').send({ url: receiver.url })),
      );
      expect(results.filter(({ status }) => status === 201)).toHaveLength(max);
      expect(results.find(({ status }) => status === 409)?.body).toMatchObject({
        code: 'too_many_webhooks',
        message: `A key of the plan ${plan} can have ${max} webhooks. Delete one first.`,
      });
    });

    it('keeps those that a key has beyond its plan, but allows no more', async () => {
      const keys = petstore.app.get(ApiKeysService);
      const { key, secret } = await keys.create({ name: 'shrinks', plan: 'pro' });
      const owner = petstore.client(secret);
      const post = () => owner.post('/v1/webhooks').send({ url: receiver.url });
      const { body } = await post().expect(201);
      for (let i = 0; i < 2; i++) await post().expect(201);
      await keys.update(key.id, () => ({ plan: { plan: 'free', limits: null } }));
      await post().expect(409);
      expect((await owner.get('/v1/webhooks').expect(200)).body).toHaveLength(3);
      await owner
        .patch(`/v1/webhooks/${(body as Webhook).id}`)
        .send({ types: ['item.created'] })
        .expect(200);
      await addItem();
      await fanOut();
      expect(await petstore.query('SELECT FROM webhook_deliveries')).toHaveLength(3);
    });

    it('changes only what a PATCH names', async () => {
      const { id } = await create({ types: ['item.created'] });
      await client.patch(`/v1/webhooks/${id}`).send({ state: 'disabled' }).expect(200);
      expect(await get(id)).toMatchObject({
        types: ['item.created'],
        state: 'disabled',
        disabledReason: 'request',
      });
      await client.patch(`/v1/webhooks/${id}`).send({ types: [] }).expect(200);
      expect(await get(id)).toMatchObject({ types: [], state: 'disabled' });
    });

    it('stays as it is after a PATCH without a body', async () => {
      const { id } = await create({ types: ['item.created'] });
      await client.patch(`/v1/webhooks/${id}`).expect(400);
      await client.patch(`/v1/webhooks/${id}`).type('json').set('Transfer-Encoding', 'chunked').expect(400);
      expect(await get(id)).toMatchObject({ types: ['item.created'] });
    });

    it('is changed and deleted only if If-Match names its version', async () => {
      const { id } = await create();
      const path = `/v1/webhooks/${id}`;
      const { headers } = await client.get(path).expect(200);
      const disable = (etag = '') => client.patch(path).set('If-Match', etag).send({ state: 'disabled' });
      const changed = await disable(headers.etag).expect(200);
      const { body } = await disable(headers.etag).expect(412);
      expect(body).toMatchObject({ code: 'precondition_failed' });
      await client.delete(path).set('If-Match', String(headers.etag)).expect(412);
      await client.delete(path).set('If-Match', String(changed.headers.etag)).expect(204);
    });

    it('ends with a DELETE, and the deliveries are deleted later', async () => {
      const { id } = await create();
      await addItem();
      await fanOut();
      await client.delete(`/v1/webhooks/${id}`).expect(204);
      await client.get(`/v1/webhooks/${id}`).expect(404);
      await deliver(id);
      expect(receiver.received).toEqual([]);
      await petstore.app.get(WebhookHousekeeping).clear();
      expect(await petstore.query('SELECT FROM webhook_deliveries')).toEqual([]);
      expect(await petstore.query('SELECT FROM webhooks')).toEqual([]);
    });

    it('needs events:read too to be created or changed, and for pings and retries, which would not be sent', async () => {
      const keys = petstore.app.get(ApiKeysService);
      const { key, secret } = await keys.create({ name: 'writer', plan: 'pro', scopes: ['webhooks:write'] });
      const writer = petstore.client(secret);
      const refused = await writer.post('/v1/webhooks').send({ url: receiver.url }).expect(403);
      expect(refused.body).toMatchObject({ message: 'This API key lacks the scope events:read.' });
      expect(refused.headers['www-authenticate']).toContain('scope="webhooks:write events:read"');
      await petstore.query(`UPDATE webhooks SET api_key_id = $1 WHERE id = $2`, [
        key.id,
        (await create()).id,
      ]);
      const [{ id } = { id: 0 }] = await petstore.query<{ id: number }>('SELECT id FROM webhooks');
      await writer.patch(`/v1/webhooks/${id}`).send({ types: [] }).expect(403);
      await writer.post(`/v1/webhooks/${id}/ping`).expect(403);
      await writer.post(`/v1/webhooks/${id}/deliveries/1/retry`).expect(403);
      await writer.delete(`/v1/webhooks/${id}`).expect(204);
    });
  });

  describe('which events they receive', () => {
    it('those of their types since they were created', async () => {
      await addItem('before');
      const { id } = await create({ types: ['item.created'] });
      await petstore.query(
        `INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ('test.other', 1, now(), '{}')`,
      );
      await addItem('after');
      await work(id);
      expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
        { type: 'item.created', data: { name: 'after' } },
      ]);
    });

    it('none while they are disabled, and those after that', async () => {
      const { id } = await create();
      await client.patch(`/v1/webhooks/${id}`).send({ state: 'disabled' }).expect(200);
      await addItem('missed');
      await client.post(`/v1/webhooks/${id}/ping`).expect(409);
      await client.patch(`/v1/webhooks/${id}`).send({ state: 'enabled' }).expect(200);
      await addItem('told');
      await work(id);
      expect(receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
        { data: { name: 'told' } },
      ]);
    });

    it('those committed before a change of their types or their state', async () => {
      const narrowed = await create();
      const widened = await create({ types: ['item.deleted'] });
      const switched = await create();
      await addItem('before');
      await client
        .patch(`/v1/webhooks/${narrowed.id}`)
        .send({ types: ['item.deleted'] })
        .expect(200);
      await client.patch(`/v1/webhooks/${widened.id}`).send({ types: [] }).expect(200);
      for (const state of ['disabled', 'enabled'])
        await client.patch(`/v1/webhooks/${switched.id}`).send({ state }).expect(200);
      await addItem('after');
      for (const { id } of [narrowed, widened, switched]) await work(id);
      const sent = receiver.received.map(
        ({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name,
      );
      expect(sent).toEqual(['before', 'after', 'before', 'after']);
      expect((await deliveries(narrowed.id)).length).toBe(1);
      expect((await deliveries(widened.id)).length).toBe(1);
    });

    it('503 if more wait than one request takes, until they are taken', async () => {
      const { id } = await create();
      await petstore.query(`INSERT INTO event_outbox (type, version, occurred_at, data)
        SELECT 'item.created', 1, now(), '{"name": "before"}' FROM generate_series(1, 12000)`);
      const change = () => client.patch(`/v1/webhooks/${id}`).send({ types: ['item.deleted'] });
      await client.patch('/v1/webhooks/4711').send({ types: [] }).expect(404);
      await change().set('If-Match', '"other"').expect(412);
      expect(await deliveries(id)).toEqual([]);
      const { body, headers } = await change().expect(503);
      expect([body.code, headers['retry-after']]).toEqual(['service_unavailable', '1']);
      await eventually(async () => (await change()).status === 200);
      const [row] = await petstore.query('SELECT count(*)::integer AS count FROM webhook_deliveries');
      expect(row).toEqual({ count: 12_000 });
    });

    it('each once, while they are changed and others read the feed', async () => {
      const { id } = await create();
      for (let i = 0; i < 20; i++) {
        await addItem();
        const types = i % 2 === 0 ? [] : ['item.created'];
        const [{ status }] = await Promise.all([
          client.patch(`/v1/webhooks/${id}`).send({ types }),
          fanOut(),
          client.post(`/v1/webhooks/${id}/rotate-secret`).expect(200),
        ]);
        expect([200, 503]).toContain(status); // where the rotation takes a second
      }
      expect(await deliveries(id, '?limit=100')).toHaveLength(20);
    });

    it('none once their key is revoked', async () => {
      const keys = petstore.app.get(ApiKeysService);
      const { key, secret } = await keys.create({ name: 'short', plan: 'pro' });
      const response = await petstore
        .client(secret)
        .post('/v1/webhooks')
        .send({ url: receiver.url })
        .expect(201);
      await addItem('pending');
      await fanOut();
      await keys.revoke(key.id);
      await addItem('after');
      await work((response.body as Webhook).id);
      expect(receiver.received).toEqual([]);
    });
  });

  it.each([['webhooks:write'], ['events:read']] as const)(
    'receive nothing while their key has only %s',
    async (scope) => {
      const keys = petstore.app.get(ApiKeysService);
      const scopes = ['webhooks:write', 'events:read'] as const;
      const { key, secret } = await keys.create({ name: 'short', plan: 'pro', scopes: [...scopes] });
      const owner = petstore.client(secret);
      const { body } = await owner.post('/v1/webhooks').send({ url: receiver.url }).expect(201);
      await addItem('told');
      await work((body as Webhook).id);
      expect(receiver.received).toHaveLength(1);
      await addItem('pending');
      await fanOut();
      await keys.update(key.id, () => ({ scopes: [scope] }));
      await addItem('missed');
      await work((body as Webhook).id);
      expect(receiver.received).toHaveLength(1);
      await keys.update(key.id, () => ({ scopes: [...scopes] }));
      await addItem('told again');
      await work((body as Webhook).id);
      expect(receiver.received.map(({ body }) => JSON.parse(body).data.name)).toEqual(['told', 'told again']);
    },
  );

  describe('retries', () => {
    it('come after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, with up to 10 % of jitter; then the delivery has failed', async () => {
      const { id } = await create();
      receiver.respond = 500;
      await addItem();
      let before = await databaseTime();
      await work(id);
      const schedule = [
        ...[seconds(5), minutes(5), minutes(30), hours(2), hours(5)],
        ...[hours(10), hours(14), hours(20), hours(24)],
      ];
      for (const [attempt, wait] of schedule.entries()) {
        const after = await databaseTime();
        const [{ next } = { next: NaN }] = await petstore.query<{ next: number }>(
          `SELECT ${inMilliseconds('next_attempt_at')} AS next FROM webhook_deliveries`,
        );
        expect(next).toBeGreaterThanOrEqual(before + wait);
        expect(next).toBeLessThanOrEqual(after + wait * 1.1);
        await pass(next - after - minutes(1));
        await deliver(id); // a minute too early, because the clock of the database goes on
        expect(receiver.received).toHaveLength(attempt + 1);
        await pass(seconds(61));
        before = await databaseTime();
        await deliver(id);
      }
      const [delivery] = await deliveries(id);
      expect(delivery).toMatchObject({ state: 'failed' });
      expect(delivery?.attempts).toHaveLength(10);
      expect(delivery?.attempts[0]).toMatchObject({ status: 500, error: 'http_status' });
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    });

    it('end after the first success', async () => {
      const { id } = await create();
      receiver.respond = 503;
      await addItem();
      await work(id);
      expect(await get(id)).toHaveProperty('failingSince');
      receiver.respond = 200;
      await pass(seconds(6));
      await deliver(id);
      expect(await deliveries(id)).toMatchObject([
        { state: 'delivered', attempts: [{ status: 503 }, { status: 200 }] },
      ]);
      expect(await get(id)).not.toHaveProperty('failingSince');
    });

    it('are logged when an endpoint begins to fail, once, and when it works again, without its URL', async () => {
      const { id } = await create();
      const lines = () =>
        petstore.log.flatMap(({ msg }) => (String(msg).includes(`Webhook ${id} `) ? [msg] : []));
      receiver.respond = 503;
      await addItem();
      await work(id);
      await pass(seconds(6));
      await deliver(id);
      expect(lines()).toEqual([`Webhook ${id} begins to fail: http_status 503.`]);
      receiver.respond = 200;
      await pass(minutes(6));
      await deliver(id);
      await addItem();
      await work(id);
      expect(lines().slice(1)).toEqual([`Webhook ${id} works again.`]);
      expect(await deliveries(id)).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
    });

    it('are logged once, although PostgreSQL refuses their outcome for a while', async () => {
      const { id } = await create();
      receiver.respond = 503;
      await addItem();
      await petstore.query(
        `CREATE SEQUENCE refusals;
         CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refusal %', nextval('refusals'); END $$;
         CREATE TRIGGER refuse BEFORE UPDATE OF attempts ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION refuse()`,
      );
      const worked = work(id);
      const refusals = async () =>
        (await petstore.query<{ n: number }>('SELECT last_value::integer AS n FROM refusals'))[0]?.n ?? 0;
      await eventually(async () => (await refusals()) >= 3);
      await petstore.query('DROP FUNCTION refuse CASCADE; DROP SEQUENCE refusals');
      await worked;
      expect(await deliveries(id)).toMatchObject([{ attempts: [{ status: 503 }] }]);
      expect(petstore.log.filter(({ msg }) => String(msg).includes(`Webhook ${id} begins`))).toHaveLength(1);
    });

    it('can be requested, whatever the state of the delivery', async () => {
      const { id } = await create();
      await addItem();
      await work(id);
      const [delivery] = await deliveries(id);
      const path = `/v1/webhooks/${id}/deliveries`;
      await client.post(`${path}/${delivery?.id}/retry`).expect(202);
      await deliver(id);
      expect(receiver.received).toHaveLength(2);
      expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
      const { body } = await client.post(`${path}/4711/retry`).expect(404);
      expect(body).toMatchObject({ code: 'delivery_not_found' });
      await petstore.query('DELETE FROM events');
      const expired = await client.post(`${path}/${delivery?.id}/retry`).expect(404);
      expect(expired.body).toMatchObject({ message: expect.stringContaining('has expired') as unknown });
      expect(await deliveries(id)).toMatchObject([{ state: 'delivered' }]);
    });

    it.each([500, 204])(
      'can be requested while an attempt is under way, which ends with %i',
      async (status) => {
        const { id } = await create();
        await addItem();
        await fanOut();
        await petstore.query('UPDATE webhook_deliveries SET tries = 8'); // the next wait is 24 h
        const [delivery] = await deliveries(id);
        receiver.respond = (response) => {
          receiver.respond = 204;
          void client
            .post(`/v1/webhooks/${id}/deliveries/${delivery?.id}/retry`)
            .then(() => response.writeHead(status).end());
        };
        await deliver(id);
        await deliver(id);
        expect(receiver.received).toHaveLength(2);
        expect(await deliveries(id)).toMatchObject([
          { state: 'delivered', attempts: [{ status }, { status: 204 }] },
        ]);
      },
    );

    it('and pings go before a backlog, whose age stays what it is', async () => {
      const { id } = await create();
      for (let i = 0; i < 20; i++) await addItem();
      await fanOut();
      await pass(hours(3));
      const age = await backlog();
      receiver.respond = 500; // after the first failure it stops
      const [newest] = await deliveries(id);
      for (const path of ['ping', `deliveries/${newest?.id}/retry`]) {
        const before = await databaseTime();
        const { body } = await client.post(`/v1/webhooks/${id}/${path}`).expect(202);
        expect(Date.parse((body as Delivery).nextAttemptAt ?? '')).toBeGreaterThanOrEqual(Math.floor(before));
        expect((await backlog()) - age).toBeLessThan(600); // it was 10,800
        await deliver(id);
        const sent = (await deliveries(id)).find((delivery) => delivery.id === (body as Delivery).id);
        expect(sent).toMatchObject({ attempts: [{ status: 500 }] });
        await pass(minutes(1)); // the pause
      }
      expect((await deliveries(id)).filter(({ attempts }) => attempts.length === 0).length).toBeGreaterThan(
        0,
      );
    });

    it('show that a ping which waits is not due before it was made', async () => {
      const { id } = await create();
      await addItem();
      await fanOut();
      await pass(hours(3));
      const { body } = await client.post(`/v1/webhooks/${id}/ping`).expect(202);
      expect((await deliveries(id))[0]).toEqual(body);
    });

    it('keep their order when the webhook is enabled again', async () => {
      const { id } = await create();
      for (let i = 0; i < 3; i++) await addItem();
      await fanOut();
      const order = () =>
        petstore.query(
          'SELECT id, next_attempt_at::text FROM webhook_deliveries ORDER BY next_attempt_at, id',
        );
      const before = await order();
      for (const state of ['disabled', 'enabled'])
        await client.patch(`/v1/webhooks/${id}`).send({ state }).expect(200);
      expect(await order()).toEqual(before);
    });

    it('and pings are sent once for requests with the same Idempotency-Key', async () => {
      const { id } = await create();
      await addItem();
      await work(id);
      const [delivery] = await deliveries(id);
      for (const path of ['ping', `deliveries/${delivery?.id}/retry`]) {
        const send = () => client.post(`/v1/webhooks/${id}/${path}`).set('Idempotency-Key', path).expect(202);
        const first = await send();
        await deliver(id);
        expect((await send()).body).toEqual(first.body);
        await deliver(id);
      }
      expect(receiver.received).toHaveLength(3);
    });

    it.each([-1, 1])('use the clock of the database if that of the process is off by %i h', async (off) => {
      petstore.clock.set(Date.now() + hours(off));
      const { id } = await create();
      receiver.respond = 500;
      await addItem();
      await work(id);
      await pass(-minutes(1)); // the clock of the database goes on
      await work(id); // not earlier
      expect(receiver.received).toHaveLength(1);
      await pass(seconds(66));
      await deliver(id);
      await client.post(`/v1/webhooks/${id}/ping`).expect(202);
      await deliver(id);
      expect(receiver.received).toHaveLength(3);
    });

    it('count a failure of the service itself as an attempt, but not against the endpoint', async () => {
      const { id } = await create();
      await addItem();
      await fanOut();
      await petstore.query(String.raw`UPDATE webhooks SET secret = '\x01'`); // encrypted with a key that is lost
      await deliver(id);
      expect(await deliveries(id)).toMatchObject([
        { state: 'pending', attempts: [{ error: 'secret_unreadable' }] },
      ]);
      expect(await get(id)).not.toHaveProperty('failingSince');
    });

    it('end when the event has expired', async () => {
      const { id } = await create();
      await addItem();
      await fanOut();
      await petstore.query('DELETE FROM events');
      await deliver(id);
      expect(await deliveries(id)).toMatchObject([
        { state: 'failed', attempts: [{ error: 'event_expired' }] },
      ]);
      expect(await get(id)).not.toHaveProperty('failingSince');
    });

    it('do not follow redirects', async () => {
      const { id } = await create();
      receiver.respond = (response) => response.writeHead(307, { Location: receiver.url }).end();
      await addItem();
      await work(id);
      expect(await deliveries(id)).toMatchObject([{ state: 'pending', attempts: [{ status: 307 }] }]);
      expect(receiver.received).toHaveLength(1);
    });
  });

  describe('an endpoint', () => {
    it('that responds with 410 is disabled', async () => {
      const { id } = await create();
      receiver.respond = 410;
      await addItem();
      await work(id);
      expect(await get(id)).toMatchObject({ state: 'disabled', disabledReason: 'gone' });
      expect(await deliveries(id)).toMatchObject([{ state: 'failed' }]);
    });

    it('gets deliveries that were pending when its webhook was disabled only if it is enabled again in time', async () => {
      const { id } = await create();
      receiver.respond = 500;
      await addItem();
      await work(id);
      for (const state of ['disabled', 'enabled'])
        await client.patch(`/v1/webhooks/${id}`).send({ state }).expect(200);
      await pass(seconds(6));
      await deliver(id);
      expect(receiver.received).toHaveLength(2);
      await client.patch(`/v1/webhooks/${id}`).send({ state: 'disabled' }).expect(200);
      await pass(minutes(6));
      await deliver(id);
      expect(receiver.received).toHaveLength(2);
      expect(await deliveries(id)).toMatchObject([{ state: 'failed', attempts: [{}, {}] }]);
    });

    it('that fails for 5 days is disabled, but not if an attempt succeeded in between', async () => {
      const { id } = await create();
      receiver.respond = 500;
      await addItem();
      await work(id);
      await pass(days(5) - minutes(2));
      await addItem();
      await work(id);
      expect(await get(id)).toMatchObject({ state: 'enabled' });
      receiver.respond = 200;
      await pass(minutes(1));
      await addItem();
      await work(id);
      receiver.respond = 500;
      await pass(minutes(1));
      await addItem();
      await work(id);
      expect(await get(id)).toMatchObject({ state: 'enabled' });
      await pass(days(5));
      await addItem();
      await work(id);
      expect(await get(id)).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
      await client.patch(`/v1/webhooks/${id}`).send({ state: 'enabled' }).expect(200);
      expect(await get(id)).not.toHaveProperty('failingSince');
    });

    it('that keeps failing gets its next delivery after 10 % of the time for which it has been failing, and a ping immediately', async () => {
      const { id } = await create();
      receiver.respond = 500;
      for (let i = 0; i < 30; i++) await addItem();
      await work(id);
      const attempted = receiver.received.length;
      expect(attempted).toBeLessThan(30); // stops after the first failure
      await pass(minutes(9));
      const before = await databaseTime();
      await deliver(id);
      const after = await databaseTime();
      const again = receiver.received.length;
      expect(again).toBeGreaterThan(attempted);
      const [{ failingSince, next } = { failingSince: NaN, next: NaN }] = await petstore.query<
        Record<'failingSince' | 'next', number>
      >(
        `SELECT ${inMilliseconds('failing_since')} AS "failingSince", ${inMilliseconds('busy_until')} AS next FROM webhooks`,
      );
      expect(next).toBeGreaterThanOrEqual(before + (before - failingSince) * 0.1);
      expect(next).toBeLessThanOrEqual(after + (after - failingSince) * 0.1);
      await addItem();
      await work(id);
      await pass(seconds(30)); // of 54 s
      await deliver(id);
      expect(receiver.received).toHaveLength(again);
      await pass(next - after);
      await deliver(id);
      const resumed = receiver.received.length;
      expect(resumed).toBeGreaterThan(again);
      await client.post(`/v1/webhooks/${id}/ping`).expect(202);
      await deliver(id); // immediately
      expect(receiver.received.length).toBeGreaterThan(resumed);
    });

    it.each([
      [120, seconds(120)],
      [86_400, hours(1)],
    ])(
      'that asks for %i s of rest gets it for each delivery, up to an hour, but not from a ping',
      async (asked, rest) => {
        const { id } = await create();
        receiver.respond = (response) => response.writeHead(503, { 'Retry-After': asked }).end();
        await addItem();
        await work(id);
        await addItem(); // a new delivery, due at once
        receiver.respond = 204;
        await work(id);
        await pass(rest - minutes(1)); // the clock of the database goes on
        await work(id);
        expect(receiver.received).toHaveLength(1);
        await petstore.app.get(WebhookHousekeeping).measure();
        await pass(seconds(61));
        await work(id);
        expect(await deliveries(id, '?state=delivered')).toHaveLength(2);
        receiver.respond = (response) => response.writeHead(429, { 'Retry-After': asked }).end();
        await addItem();
        await work(id);
        receiver.respond = 204;
        await client.post(`/v1/webhooks/${id}/ping`).expect(202);
        await deliver(id);
        expect(await deliveries(id, '?state=delivered')).toMatchObject([{ type: 'webhook.ping' }, {}, {}]);
      },
    );

    it.each([
      ['a ping', (id: number) => client.post(`/v1/webhooks/${id}/ping`)],
      ['another URL', (id: number) => client.patch(`/v1/webhooks/${id}`).send({ url: `${receiver.url}/2` })],
    ])('does not get its rest if %s comes while it is being asked', async (_, end) => {
      const { id } = await create();
      receiver.respond = (response) => {
        receiver.respond = 204;
        void end(id).then(() => response.writeHead(503, { 'Retry-After': 3_600 }).end());
      };
      await addItem();
      await work(id);
      await addItem();
      await work(id);
      expect(receiver.received.length).toBeGreaterThan(1);
      expect(await deliveries(id, '?state=delivered')).not.toEqual([]);
    });

    it('rests again after the ping that has ended its rest has failed, too', async () => {
      const { id } = await create();
      receiver.respond = (response) => {
        receiver.respond = (next) => next.writeHead(503, { 'Retry-After': 3_600 }).end();
        void client.post(`/v1/webhooks/${id}/ping`).then(() => response.writeHead(503).end());
      };
      await addItem();
      await work(id);
      await deliver(id);
      expect(receiver.received).toHaveLength(2);
      await addItem();
      await work(id);
      expect(receiver.received).toHaveLength(2);
    });

    it('that has moved gets what its old URL has answered with 410', async () => {
      const { id } = await create();
      receiver.respond = (response) => {
        receiver.respond = 204;
        const url = `${receiver.url}/2`;
        void client
          .patch(`/v1/webhooks/${id}`)
          .send({ url })
          .then(() => response.writeHead(410).end());
      };
      await addItem();
      await work(id);
      expect(await get(id)).toMatchObject({ state: 'enabled' });
      await pass(seconds(6));
      await deliver(id);
      expect(receiver.received[1]).toMatchObject({ url: '/hook/2' });
      expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: [{ status: 410 }, {}] }]);
    });

    it('does not inherit the rest that another URL has asked for', async () => {
      const { id } = await create();
      receiver.respond = (response) => response.writeHead(503, { 'Retry-After': 3_600 }).end();
      await addItem();
      await work(id);
      receiver.respond = 204;
      const url = `${receiver.url}/2`;
      await client.patch(`/v1/webhooks/${id}`).send({ url }).expect(200);
      await addItem();
      await work(id);
      expect(receiver.received[1]).toMatchObject({ url: '/hook/2' });
    });

    it('starts afresh with another URL', async () => {
      const { id } = await create();
      receiver.respond = 500;
      await addItem();
      await work(id);
      expect(await get(id)).toHaveProperty('failingSince');
      await client
        .patch(`/v1/webhooks/${id}`)
        .send({ url: `${receiver.url}/2` })
        .expect(200);
      expect(await get(id)).not.toHaveProperty('failingSince');
    });

    it('gets each event once if two runs deliver to it at the same time', async () => {
      const { id } = await create();
      for (let i = 0; i < 12; i++) await addItem();
      await fanOut();
      const deliverer = petstore.app.get(WebhookDeliverer);
      await Promise.all([deliverer.deliver(String(id)), deliverer.deliver(String(id))]);
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect([ids.length, new Set(ids).size]).toEqual([12, 12]);
    });
  });

  describe('the secret', () => {
    it('also signs for 24 h after a rotation', async () => {
      petstore.clock.set(Date.now());
      const { id, secret } = await create();
      const { body: rotated } = await client.post(`/v1/webhooks/${id}/rotate-secret`).expect(200);
      const current = (rotated as Webhook).secret;
      expect(current).not.toBe(secret);
      await addItem();
      await work(id);
      const { headers, body } = await receiver.message(0);
      for (const either of [secret, current]) {
        expect(() => new Verifier(either).verify(body, headers)).not.toThrow();
      }
      petstore.clock.advance(hours(24));
      await addItem();
      await work(id);
      expect(receiver.received[1]?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    });

    it('still signs until the promised end if a rotation whose response was lost is repeated', async () => {
      petstore.clock.set(Date.now() - hours(1));
      const { id, secret } = await create();
      const rotate = async () => {
        const { body } = await client.post(`/v1/webhooks/${id}/rotate-secret`).expect(200);
        return (body as Webhook).secret;
      };
      const lost = await rotate();
      petstore.clock.advance(hours(1));
      const current = await rotate();
      await addItem();
      await work(id);
      const { headers, body } = await receiver.message(0);
      for (const either of [secret, current]) {
        expect(() => new Verifier(either).verify(body, headers)).not.toThrow();
      }
      expect(() => new Verifier(lost).verify(body, headers)).toThrow();
      petstore.clock.advance(hours(23));
      await addItem();
      await work(id);
      expect(receiver.received[1]?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    });

    it('is stored in plain text without WEBHOOK_SECRET_KEYS', async () => {
      const { secret } = await create();
      const [row] = await petstore.query<{ secret: Buffer }>('SELECT secret FROM webhooks');
      expect(row?.secret.subarray(1).toString('base64')).toBe(secret.slice('whsec_'.length));
    });
  });

  it('are listed in pages', async () => {
    const ids = [(await create()).id, (await create()).id, (await create()).id];
    const first = await client.get('/v1/webhooks?limit=2').expect(200);
    const [, next = ''] =
      /^<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(first.headers.link ?? '') ?? [];
    const last = await client.get(next).expect(200);
    expect([...first.body, ...last.body].map(({ id }: Webhook) => id)).toEqual(ids);
    expect(last.headers.link).toBeUndefined();
  });

  it('list their deliveries in pages, newest first', async () => {
    const { id } = await create();
    for (let i = 0; i < 3; i++) await addItem();
    await fanOut();
    const [newest, second, oldest] = (await deliveries(id)).map(({ eventId }) => Number(eventId));
    expect([newest, second]).toEqual([Number(oldest) + 2, Number(oldest) + 1]);
    const first = await client.get(`/v1/webhooks/${id}/deliveries?limit=2&state=pending`).expect(200);
    expect((first.body as Delivery[]).map(({ eventId }) => eventId)).toEqual([newest, second]);
    const [, next = ''] = /^<http:\/\/petstore\.test([^>]+)>/.exec(first.headers.link ?? '') ?? [];
    const last = await client.get(next).expect(200);
    expect((last.body as Delivery[]).map(({ eventId }) => eventId)).toEqual([oldest]);
    expect(last.headers.link).toBeUndefined();
  });

  it('have their deliveries deleted after 30 days', async () => {
    const { id } = await create();
    await addItem();
    await work(id);
    const [old] = await deliveries(id);
    await pass(days(30) + seconds(1));
    await addItem();
    await fanOut();
    await petstore.app.get(WebhookHousekeeping).clear();
    expect(await deliveries(id)).toMatchObject([{ eventId: Number(old?.eventId) + 1 }]);
  });

  it('have a metric of their delay, which excludes failing endpoints', async () => {
    const failures = async (): Promise<number> => {
      const { text } = await petstore.client().get('/metrics');
      return Number(
        new RegExp(String.raw`^${PREFIX}_webhook_attempts_total{outcome="http_status"} (\d+)`, 'm').exec(
          text,
        )?.[1] ?? 0,
      );
    };
    const before = await failures();
    const { id } = await create();
    expect(await backlog()).toBe(0);
    await addItem();
    await petstore.app.get(EventsService).catchUp();
    await petstore.query(`UPDATE events SET occurred_at = now() - interval '40 s'`);
    expect(Math.floor((await backlog()) / 10)).toBe(4); // it has no deliveries yet
    await fanOut();
    await pass(seconds(20));
    expect(Math.floor((await backlog()) / 10)).toBe(2);
    receiver.respond = 500;
    await deliver(id);
    await pass(minutes(1));
    expect(await backlog()).toBe(0);
    expect(await failures()).toBe(before + 1);
  });
});
