import { SERVICE } from '../config/service.js';
import { DatabaseConfig } from '../database/database.config.js';
import { HttpConfig } from '../http/http.config.js';
import { cannotListen, checkAddress } from '../http/listen-on.js';
import { lacksPublicUrl } from '../http/public-url.js';
import type { Application } from './application.js';
import type { OnEnd } from './serve.js';
import { StartLines } from './start-lines.js';

/**
 * How many connections may wait to be accepted, one in each pass of the event loop. Of a burst beyond it, the client tries each again
 * after 1 s. The default of Node.js is 511; this is the default limit of Linux.
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
  { inspectConfig, migrations, loadApp }: Application,
  onEnd: OnEnd,
  { ownsDatabase = true, again = false }: StartOptions = {},
): Promise<void> {
  const config = inspectConfig().check();
  const address = config.read(HttpConfig);
  await checkAddress(address);
  const { openDatabase, joinDatabase } = await import('../database/open-database.js');
  // Loading modules takes most of the start, so it overlaps with the start of the embedded PostgreSQL. With DATABASE_URL the
  // modules load later, so that a wrong URL fails immediately.
  const embedded = config.read(DatabaseConfig).databaseUrl === undefined;
  if (embedded)
    loadApp().catch(() => undefined); // thrown below
  else StartLines.useFormOfLog(); // with the embedded PostgreSQL, a person reads them
  const open = ownsDatabase ? openDatabase : joinDatabase;
  const database = await open(config.read(DatabaseConfig), migrations, onEnd, print);
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
  if (lacksPublicUrl(address))
    print(
      `HOST is ${address.host}, without PUBLIC_URL: links name localhost. Set it to the address that clients use.`,
    );
  print(again ? `The ${SERVICE.noun} listens again.` : text);
}

const print = (step: string): void => {
  StartLines.print(step);
};
