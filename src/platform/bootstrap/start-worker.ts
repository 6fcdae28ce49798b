import type { NestApplicationContext } from '@nestjs/core';
import { hours } from '../clock/duration.js';
import { DatabaseConfig } from '../database/database.config.js';
import { joinDatabase } from '../database/open-database.js';
import type { Application } from './application.js';
import type { OnEnd } from './serve.js';
import { StartLines } from './start-lines.js';

/** Starts a process that does background work and serves no requests. Registers what must be closed with `onEnd`. */
export async function startWorker(application: Application, onEnd: OnEnd): Promise<void> {
  const config = application.inspectConfig().check();
  if (config.read(DatabaseConfig).databaseUrl !== undefined) StartLines.useFormOfLog();
  const database = await joinDatabase(config.read(DatabaseConfig), application.migrations, onEnd);
  const { createWorker } = await application.loadWorker();
  const worker = await createWorker(config, database.url);
  const context = worker as Pick<NestApplicationContext, 'close'>; // the interface omits the signal
  onEnd((signal) => context.close(signal));
  setInterval(() => undefined, hours(1)); // keeps the process alive while PostgreSQL is unavailable
}
