import { Config } from './config/config.js';
import { openDatabase } from './database/open-database.js';
import { welcome } from './demo/welcome.js';
import { createApp } from './start/create-app.js';
import { checkAddress, listen } from './start/listen.js';
import { run } from './start/run.js';
import { serve } from './start/serve.js';

run(() =>
  serve(async (onEnd) => {
    const config = new Config();
    await checkAddress(config);
    const database = await openDatabase(config);
    onEnd(() => database.close());
    const app = await createApp(config, database.url);
    onEnd(() => app.close());
    await listen(app, config);
    process.stdout.write(await welcome(app, database));
  }),
);
