#!/usr/bin/env node
// npm start: compiles changed sources and runs the service in this process.
import { build } from './build.mjs';

// Checks the port before compiling the rest.
await build({ folders: ['src/kernel', 'src/bootstrap', 'src/http'] }).catch(fail);
const [{ Config }, { HttpConfig }, { checkAddress }, { Progress }, { run }] = await Promise.all(
  ['kernel/config/config', 'http/http.config', 'kernel/listen-on', 'bootstrap/progress', 'bootstrap/run'].map(
    (module) => import(`../../dist/src/${module}.js`),
  ),
);

run(async () => {
  await checkAddress(new Config().read(HttpConfig));
  const progress = new Progress(process.stdout);
  await build({ begin: () => progress.show('Building…') }).catch(fail);
  progress.end();
  await import('../../dist/src/main.js');
});

function fail({ message }) {
  console.error(message);
  process.exit(1);
}
