// bootstrap/ starts and stops a process, in order, whatever service it runs. Nothing of a request.

import type { NestApplicationContext } from '@nestjs/core';
import { hours } from '../../kernel/clock/duration.js';
import type { Config } from '../../kernel/config/config.js';
import { service } from '../../kernel/config/service.js';
import { DatabaseConfig } from '../../data/database/database.config.js';
import { HttpConfig } from '../../http/core/http.config.js';
import { cannotListen, checkAddress } from '../../http/core/listen-on.js';
import { inspectSettings } from './application.js';
import { migrationsOf } from './migrations.js';
import type { ServiceDefinition } from './service-definition.js';
import { checkSettings, reportChecks } from './checks.js';
import { checksOf } from './feature.js';
import { listenAddresses, metricsAddresses } from './ports.js';
import { run } from './run.js';
import { type OnEnd, serve } from './serve.js';
import { StartLines } from './start-lines.js';

/**
 * How many connections may wait to be accepted, one in each pass of the event loop. Of a burst beyond it, the
 * client tries each again after 1 s. The default of Node.js is 511; this is the default limit of Linux.
 */
const BACKLOG = 4_096;

interface StartOptions {
  /** Whether this process starts and stops the embedded PostgreSQL. If not, another process does. */
  readonly ownsDatabase?: boolean;
  /** Whether this is a restart, which does not print the welcome text. */
  readonly again?: boolean;
}

/**
 * The program of the service: `run` makes one line and an exit code of an error, `serve` stops on a signal
 * what `start` has opened.
 */
export function runService(definition: ServiceDefinition): void {
  run(() => serve((onEnd) => start(definition, onEnd)));
}

/**
 * Starts the service and prints the welcome text. Registers what must be closed with `onEnd`. What takes long
 * to load is imported here, when signals are already handled.
 */
export async function start(
  definition: ServiceDefinition,
  onEnd: OnEnd,
  { ownsDatabase = true, again = false }: StartOptions = {},
): Promise<void> {
  const { config, checkDatabase } = await checkedSettings(definition);
  const address = config.read(HttpConfig);
  for (const each of listenAddresses(config)) await checkAddress(each);
  const { openDatabase } = await import('../../data/database/open-database.js');
  const database = await openDatabase(config.read(DatabaseConfig), migrationsOf(definition), onEnd, {
    isShared: !ownsDatabase,
    onStep: print,
    check: checkDatabase,
  });
  print('Starting the service…');
  const { createApp } = await import('./create-app.js');
  const app = await createApp(definition, config, database.url);
  const { close } = await import('./close.js');
  onEnd((signal) => close(app, signal));
  // The interface omits the third argument, which Nest hands to Node.js.
  const server = app as unknown as { listen(port: number, host: string, backlog: number): Promise<unknown> };
  await server.listen(address.port, address.host, BACKLOG).catch((error: unknown) => {
    throw cannotListen(error, address);
  });
  const { OpenApiDocument } = await import('../openapi/document/openapi-document.js');
  app.get(OpenApiDocument).make(); // now, because it contains the address
  const { welcome } = await import('./demo/welcome.js');
  const text = await welcome(app, database);
  print(again ? `The ${service().noun} listens again.` : text);
}

/**
 * Starts a process that does background work and serves no requests. Registers what must be closed with
 * `onEnd`.
 */
export async function startWorker(definition: ServiceDefinition, onEnd: OnEnd): Promise<void> {
  const { config, checkDatabase } = await checkedSettings(definition);
  for (const each of metricsAddresses(config)) await checkAddress(each);
  const { openDatabase } = await import('../../data/database/open-database.js');
  const { url } = await openDatabase(config.read(DatabaseConfig), migrationsOf(definition), onEnd, {
    isShared: true,
    check: checkDatabase,
  });
  const { createWorker } = await import('./create-worker.js');
  const worker = await createWorker(definition, config, url);
  const context = worker as Pick<NestApplicationContext, 'close'>; // the interface omits the signal
  onEnd((signal) => context.close(signal));
  setInterval(() => undefined, hours(1)); // keeps the process alive while PostgreSQL is unavailable
}

interface Checked {
  readonly config: Config;
  /** Refuses a database that the service cannot use. */
  readonly checkDatabase: (url: string, directUrl: string) => Promise<void>;
}

/** Checks all settings, those of modules too, before anything is opened or changed. @throws StartupError */
async function checkedSettings(definition: ServiceDefinition): Promise<Checked> {
  const { features } = await definition.load();
  const config = inspectSettings(features);
  // With the embedded PostgreSQL, a person reads the lines of the start.
  if (config.inspect(DatabaseConfig).databaseUrl !== undefined) StartLines.useFormOfLog();
  reportChecks(checkSettings(config));
  return {
    config,
    async checkDatabase(...urls) {
      const { checkDatabase } = await import('../../data/database/checks/check-database.js');
      const { waitUntilWritable } = await import('../../data/database/writable.js');
      await waitUntilWritable(urls[0], print);
      const known = { config, known: migrationsOf(definition), checks: checksOf(features) };
      reportChecks((await checkDatabase(...urls, known)).found);
    },
  };
}

const print = (step: string): void => {
  StartLines.print(step);
};
