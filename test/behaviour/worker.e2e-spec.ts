import { COMMAND_LINE, emptyFolder, Program } from '../support/program.js';
import { ItemsModule } from '../items/items.module.js';
import { Petstore } from '../support/petstore.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const LOCAL = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };

let petstore: Petstore;
let receiver: WebhookReceiver;
let client: ReturnType<Petstore['client']>;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule], env: { ...LOCAL, WEBHOOK_WORKER: 'off' } });
  receiver = await WebhookReceiver.start();
  client = petstore.client(await petstore.key());
  await client.post('/v1/webhooks').send({ url: receiver.url }).expect(201);
});
afterAll(async () => {
  receiver.stop();
  await petstore.stop();
});

describe('petstore worker', () => {
  it('delivers for a service with WEBHOOK_WORKER=off, and ends with exit code 0', async () => {
    const folder = await emptyFolder();
    const worker = new Program(COMMAND_LINE, ['worker'], {
      cwd: folder.path,
      env: { DATABASE_URL: petstore.databaseUrl, ...LOCAL },
    });
    await worker.prints(/The worker delivers webhooks\./);
    const before = receiver.received.length;
    await client.post('/v1/items').send({ name: 'Rex', amount: 7 }).expect(201);
    expect((await receiver.message(before)).headers['webhook-id']).toBeDefined();
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0, stderr: '' });
    await folder.remove();
  });
});
