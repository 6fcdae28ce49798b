import type { INestApplicationContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../../src/app.module.js';
import { WorkerModule, workersOf } from '../../../src/platform/program/bootstrap/create-worker.js';
import { SERVICE } from '../../../src/service.js';
import { Config } from '../../../src/platform/kernel/config/config.js';
import { Logger } from '../../../src/platform/observe/logging/logger.js';
import { LoggingConfig } from '../../../src/platform/observe/logging/logging.config.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { keepLog } from '../../support/run-log.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

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

/** What `petstore worker` starts. `webhooks.slow-spec.ts` runs it as a program. */
async function startWorker(): Promise<INestApplicationContext> {
  const config = new Config(LOCAL);
  const module = await Test.createTestingModule({
    imports: [
      WorkerModule.forRoot({
        service: SERVICE,
        config,
        databaseUrl: petstore.databaseUrl,
        features: workersOf(AppModule),
      }),
    ],
  })
    .overrideProvider(Logger)
    .useValue(new Logger(config.read(LoggingConfig), { write: keepLog }))
    .compile();
  return module.init();
}

describe('WorkerModule', () => {
  it('delivers for a service with WEBHOOK_WORKER=off', async () => {
    const before = receiver.received.length;
    await client.post('/v1/items').send({ name: 'Rex', amount: 7 }).expect(201);
    const worker = await startWorker();
    expect((await receiver.message(before)).headers['webhook-id']).toBeDefined();
    await worker.close();
  });
});
