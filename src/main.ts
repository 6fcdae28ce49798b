import { Config } from './config/config.js';
import { run } from './start/run.js';
import { createApp } from './start/create-app.js';
import { openDatabase } from './database/open-database.js';
import { welcome } from './demo/welcome.js';
import { checkAddress, listen } from './start/listen.js';
import { onStopSignal } from './start/stop-signal.js';

run(async () => {
  const config = new Config();
  await checkAddress(config);
  const database = await openDatabase(config);
  try {
    const app = await createApp(config, database.url);
    onStopSignal(async () => {
      await app.close();
      await database.close();
    });
    await listen(app, config);
    process.stdout.write(await welcome(app, database));
  } catch (error) {
    await database.close();
    throw error;
  }
});
