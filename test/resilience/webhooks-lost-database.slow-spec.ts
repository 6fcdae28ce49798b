import { TcpProxy } from '../support/tcp-proxy.js';
import { becomes } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

describe('a worker that loses PostgreSQL during a delivery', () => {
  let petstore: Petstore;
  let receiver: WebhookReceiver;
  let client: ReturnType<Petstore['client']>;
  let proxy: TcpProxy;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    petstore = await Petstore.start({
      env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
      through: async (url) => (proxy = await TcpProxy.to(url)),
    });
    client = petstore.client(await petstore.key());
  });
  afterAll(async () => {
    receiver.stop();
    await petstore.stop();
    proxy.remove();
  });

  /** A webhook that receives an event for a new pet. @returns the path of its deliveries */
  async function createWithEvent(): Promise<string> {
    const { body } = await client.post('/v1/webhooks').send({ url: receiver.url }).expect(201);
    await client.post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
    return `/v1/webhooks/${(body as { id: number }).id}/deliveries`;
  }
  const statesAt = async (path: string) =>
    ((await client.get(path)).body as { state: string }[]).map(({ state }) => state);

  it('continues afterwards, and does not resend what was delivered', async () => {
    receiver.respond = (response) => {
      proxy.cut();
      response.writeHead(204).end();
    };
    const path = await createWithEvent();
    await receiver.message(0);
    receiver.respond = 204;
    proxy.mend();
    await becomes(() => statesAt(path), ['delivered']);
    expect(receiver.received).toHaveLength(1);
    const other = await createWithEvent();
    await becomes(() => statesAt(other), ['delivered']);
  });
});
