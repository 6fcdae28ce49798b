import { Config } from '../kernel/config/config.js';
import type { Database } from '../database/open-database.js';
import { checkAddress, listen } from './listen.js';
import { Progress } from './progress.js';
import type { OnEnd } from './serve.js';

export interface StartOptions {
  /** Whether the embedded PostgreSQL ends with the service; otherwise another process owns it. */
  readonly ownsDatabase?: boolean;
  /** Whether its user has read the words of welcome already. */
  readonly again?: boolean;
}

/** Starts the service, up to the words of welcome. What has to be closed in the end it hands to `onEnd`. */
export async function start(
  onEnd: OnEnd,
  { ownsDatabase = true, again = false }: StartOptions = {},
): Promise<void> {
  const config = new Config();
  await checkAddress(config);
  const progress = new Progress(process.stdout);
  try {
    // Loading is most of the start: what can be refused is refused before, and PostgreSQL starts meanwhile.
    const { openDatabase, joinDatabase } = await import('../database/open-database.js');
    const application = import('./create-app.js');
    const open = ownsDatabase ? openDatabase : joinDatabase;
    const database: Database = await open(config, (step) => {
      progress.tell(step);
    });
    onEnd(() => database.close());
    progress.tell('Starting the service…');
    const { createApp, close } = await application;
    const app = await createApp(config, database.url);
    onEnd((signal) => close(app, signal));
    await listen(app, config);
    const { welcome } = await import('./demo/welcome.js');
    const words = await welcome(app, database);
    progress.end();
    process.stdout.write(again ? 'The pet store listens again.\n' : words);
  } finally {
    progress.end();
  }
}
