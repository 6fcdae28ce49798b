import { Logger as NestLogger } from '@nestjs/common';
import { type NestApplicationContext, NestFactory } from '@nestjs/core';
import { WorkerModule } from '../app.worker.js';
import { joinDatabase } from '../database/open-database.js';
import { Config } from '../kernel/config/config.js';
import { Logger } from '../observability/logging/logger.js';
import { WebhookWorker } from '../webhooks/queue/webhook-worker.js';
import type { OnEnd } from './serve.js';
import { startLogger } from './start-logger.js';

/** Starts a process that delivers webhooks and serves no requests. `onEnd` gets what has to be closed. */
export async function startWorker(onEnd: OnEnd): Promise<void> {
  const config = new Config();
  const database = await joinDatabase(config);
  onEnd(() => database.close());
  const options = { logger: startLogger, bufferLogs: true, abortOnError: false } as const;
  const worker = await NestFactory.createApplicationContext(WorkerModule.with(config, database.url), options);
  worker.useLogger(worker.get(Logger));
  const context = worker as Pick<NestApplicationContext, 'close'>; // the interface leaves out the signal
  onEnd((signal) => context.close(signal));
  worker.get(WebhookWorker).start();
  new NestLogger('Webhooks').log('The worker delivers webhooks.');
}
