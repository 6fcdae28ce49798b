#!/usr/bin/env node
// npm start: compiles what is newer than its output, and runs the service in this process.
import { build } from './build.mjs';

// What refuses a start comes first: a port in use is said before the rest is compiled.
await build({ folders: ['src/kernel', 'src/bootstrap'] }).catch(fail);
const [{ Config }, { checkAddress }, { Progress }, { run }] = await Promise.all(
  ['kernel/config/config', 'bootstrap/listen', 'bootstrap/progress', 'bootstrap/run'].map(
    (module) => import(`../dist/src/${module}.js`),
  ),
);

run(async () => {
  await checkAddress(new Config());
  const progress = new Progress(process.stdout);
  await build({ begin: () => progress.tell('Building…') }).catch(fail);
  progress.end();
  await import('../dist/src/main.js');
});

function fail({ message }) {
  console.error(message);
  process.exit(1);
}
