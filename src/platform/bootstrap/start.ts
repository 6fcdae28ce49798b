// bootstrap/ starts and stops a process, in order, whatever service it runs. Nothing of a request.

import { SERVICE } from '../config/service.js';
import { DatabaseConfig } from '../database/database.config.js';
import { HttpConfig } from '../http/http.config.js';
import { cannotListen, checkAddress } from '../http/listen-on.js';
import { type Application, inspectSettings } from './application.js';
import { checkSettings, reportChecks } from './checks.js';
import { checksOf } from './feature.js';
import type { OnEnd } from './serve.js';
import { StartLines } from './start-lines.js';

/**
 * How many connections may wait to be accepted, one in each pass of the event loop. Of a burst beyond it, the
 * client tries each again after 1 s. The default of Node.js is 511; this is the default limit of Linux.
 */
const BACKLOG = 4_096;

interface StartOptions {
  /** Whether this process starts and stops the embedded PostgreSQL. If not, another process does. */
  readonly ownsDatabase?: boolean;
  /** Whether this is a restart, which omits the welcome text. */
  readonly again?: boolean;
}

/** Starts the service and prints the welcome text. Registers what must be closed with `onEnd`. */
export async function start(
  { settings, migrations, loadFeatures, loadApp }: Application,
  onEnd: OnEnd,
  { ownsDatabase = true, again = false }: StartOptions = {},
): Promise<void> {
  const features = await loadFeatures();
  const config = inspectSettings(settings, features);
  // With the embedded PostgreSQL, a person reads the lines of the start.
  if (config.inspect(DatabaseConfig).databaseUrl !== undefined) StartLines.useFormOfLog();
  reportChecks(checkSettings(config));
  const address = config.read(HttpConfig);
  await checkAddress(address);
  loadApp().catch(() => undefined); // thrown below
  const { openDatabase, joinDatabase } = await import('../database/open-database.js');
  const { checkDatabase } = await import('../database/checks/check-database.js');
  const open = ownsDatabase ? openDatabase : joinDatabase;
  const database = await open(config.read(DatabaseConfig), migrations, onEnd, print, async (url) => {
    reportChecks((await checkDatabase(url, { config, known: migrations, checks: checksOf(features) })).found);
  });
  print('Starting the service…');
  const [{ createApp }, { close }, { OpenApiDocument }] = await Promise.all([
    loadApp(),
    import('./close.js'),
    import('../openapi/document/openapi-document.js'),
  ]);
  const app = await createApp(config, database.url);
  onEnd((signal) => close(app, signal));
  // The interface omits the third argument, which Nest hands to Node.js.
  const server = app as unknown as { listen(port: number, host: string, backlog: number): Promise<unknown> };
  await server.listen(address.port, address.host, BACKLOG).catch((error: unknown) => {
    throw cannotListen(error, address);
  });
  app.get(OpenApiDocument).make();
  const { welcome } = await import('./demo/welcome.js');
  const text = await welcome(app, database);
  print(again ? `The ${SERVICE.noun} listens again.` : text);
}

const print = (step: string): void => {
  StartLines.print(step);
};
