import { type NestApplicationContext, NestFactory } from '@nestjs/core';
import { WorkerModule, WORKERS } from '../../app.worker.js';
import { DatabaseConfig } from '../database/database.config.js';
import { joinDatabase } from '../database/open-database.js';
import { hours } from '../clock/duration.js';
import { Logger } from '../logging/logger.js';
import { StartupError } from '../config/startup-error.js';
import { readConfig } from '../../settings.js';
import type { OnEnd } from './serve.js';
import { startLogger } from './start-logger.js';
import { StartLines } from './start-lines.js';

/** Starts a process that does background work and serves no requests. Registers what must be closed with `onEnd`. */
export async function startWorker(onEnd: OnEnd): Promise<void> {
  if (WORKERS.length === 0) throw new StartupError('No module has background work.');
  const config = readConfig();
  if (config.read(DatabaseConfig).databaseUrl !== undefined) StartLines.useFormOfLog();
  const database = await joinDatabase(config.read(DatabaseConfig), onEnd);
  const options = { logger: startLogger, bufferLogs: true, abortOnError: false } as const;
  const worker = await NestFactory.createApplicationContext(WorkerModule.with(config, database.url), options);
  worker.useLogger(worker.get(Logger));
  const context = worker as Pick<NestApplicationContext, 'close'>; // the interface omits the signal
  onEnd((signal) => context.close(signal));
  setInterval(() => undefined, hours(1)); // keeps the process alive while PostgreSQL is unavailable
}
