import { DataSource } from 'typeorm';
import { WebhookOperations } from '../../src/platform/webhooks/webhook-operations.js';
import { petstore as command } from '../support/command-line.js';
import { ItemsModule } from '../items/items.module.js';
import { Petstore } from '../support/petstore.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

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

  it('sends failed deliveries again', async () => {
    const id = String(webhook.id);
    await client.post(`/v1/webhooks/${id}/ping`).expect(202);
    await petstore.query(
      `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, created_at = now()`,
    );
    expect(await json('webhooks', 'list')).toMatchObject([{ pending: 0, failed: 1 }]);
    expect(await json('webhooks', 'retry', id, '--since', '2h')).toEqual({ id: webhook.id, retried: 1 });
    expect(await json('webhooks', 'list')).toMatchObject([{ pending: 1, failed: 0 }]);
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
    ['an id that no webhook has', 'retry', '4711', 'There is no webhook with the id 4711.', 1],
  ])('says in one line that %s is not a webhook', async (_, action, id, line, expected) => {
    const { code, stderr } = await run('webhooks', action, id);
    expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining(line) as unknown });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
