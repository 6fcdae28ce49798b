#!/usr/bin/env node
// npm run dev: restarts the service after each change of a source. This process owns the embedded PostgreSQL, which
// keeps running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const SETTLED = 50; // milliseconds without a further change: an editor writes several files at once
const STOP_TIMEOUT = 500; // milliseconds
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

await build({ begin: () => console.log('Building…') }).catch(({ message }) => {
  console.error(message);
  process.exit(1);
});
const [{ Config }, { run }, { serve }, { openDatabase }] = await Promise.all(
  ['kernel/config/config', 'bootstrap/run', 'bootstrap/serve', 'database/open-database'].map(
    (module) => import(`../dist/src/${module}.js`),
  ),
);

run(() =>
  serve(async (onEnd) => {
    const database = await openDatabase(new Config());
    onEnd(() => database.close());
    const service = new Service();
    onEnd(() => service.stop());
    service.start();
    let settled;
    for (const folder of ['src', 'migrations', 'embedded-postgres']) {
      watch(at(folder), { recursive: true }, () => {
        clearTimeout(settled);
        settled = setTimeout(() => void rebuild(service), SETTLED);
      });
    }
  }),
);

/** Rebuilds run one after the other. */
let rebuilding = Promise.resolve();
function rebuild(service) {
  return (rebuilding = rebuilding.then(async () => {
    let changed = false;
    const begin = () => {
      changed = true;
      console.log('Building…');
    };
    try {
      await build({ begin });
      if (changed) await service.restart();
    } catch ({ message }) {
      console.error(message); // the old service keeps running
    }
  }));
}

class Service {
  #child;

  start(...args) {
    // In its own process group: Ctrl-C reaches only this process, which then stops both.
    this.#child = spawn(process.execPath, ['--enable-source-maps', at('scripts/dev-service.mjs'), ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { SHUTDOWN_GRACE_SECONDS: '0', ...process.env },
      detached: true,
    });
  }

  async stop() {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.disconnect();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
    await ended;
    clearTimeout(late);
  }

  async restart() {
    await this.stop();
    this.start('--again');
  }
}
