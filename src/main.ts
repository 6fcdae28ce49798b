import './bootstrap/heap.js';
import { Config } from './kernel/config/config.js';
import { checkAddress, listen } from './bootstrap/listen.js';
import { run } from './bootstrap/run.js';
import { serve } from './bootstrap/serve.js';

run(() =>
  serve(async (onEnd) => {
    const config = new Config();
    await checkAddress(config);
    // Loading is most of the start: what can be refused is refused before, and PostgreSQL starts meanwhile.
    const { openDatabase } = await import('./database/open-database.js');
    const application = import('./bootstrap/create-app.js');
    const database = await openDatabase(config);
    onEnd(() => database.close());
    const { createApp, close } = await application;
    const app = await createApp(config, database.url);
    onEnd((signal) => close(app, signal));
    await listen(app, config);
    const { welcome } = await import('./bootstrap/demo/welcome.js');
    process.stdout.write(await welcome(app, database));
  }),
);
