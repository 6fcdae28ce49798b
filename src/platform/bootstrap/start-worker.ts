import type { NestApplicationContext } from '@nestjs/core';
import { hours } from '../clock/duration.js';
import { DatabaseConfig } from '../database/database.config.js';
import { joinDatabase } from '../database/open-database.js';
import { checkDatabase } from '../database/checks/check-database.js';
import { type Application, inspectSettings } from './application.js';
import { checkSettings, reportChecks } from './checks.js';
import { checksOf } from './feature.js';
import type { OnEnd } from './serve.js';
import { StartLines } from './start-lines.js';

/**
 * Starts a process that does background work and serves no requests. Registers what must be closed with
 * `onEnd`.
 */
export async function startWorker(application: Application, onEnd: OnEnd): Promise<void> {
  const features = await application.loadFeatures();
  const config = inspectSettings(application.settings, features);
  if (config.inspect(DatabaseConfig).databaseUrl !== undefined) StartLines.useFormOfLog();
  reportChecks(checkSettings(config));
  const { migrations: known } = application;
  const database = await joinDatabase(config.read(DatabaseConfig), known, onEnd, undefined, async (url) => {
    reportChecks((await checkDatabase(url, { config, known, checks: checksOf(features) })).found);
  });
  const { createWorker } = await application.loadWorker();
  const worker = await createWorker(config, database.url);
  const context = worker as Pick<NestApplicationContext, 'close'>; // the interface omits the signal
  onEnd((signal) => context.close(signal));
  setInterval(() => undefined, hours(1)); // keeps the process alive while PostgreSQL is unavailable
}
