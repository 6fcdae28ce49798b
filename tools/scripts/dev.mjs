#!/usr/bin/env node
// npm run dev: restarts the service after each change of a source. This process owns the embedded PostgreSQL, which
// keeps running.
import { watch } from 'chokidar';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const SETTLED = 50; // milliseconds without a further change, because an editor may write several files at once
const STOP_TIMEOUT = 500; // milliseconds
/** Whether a person can press keys. */
const hasKeys = process.stdin.isTTY === true;
const root = fileURLToPath(new URL('../..', import.meta.url));
const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

await build({ begin: () => console.log('Building…') }).catch(({ message }) => {
  console.error(message);
  process.exit(1);
});
const [{ Config }, { DatabaseConfig }, { run }, { serve }, { openDatabase }] = await Promise.all(
  [
    'kernel/config/config',
    'database/database.config',
    'bootstrap/run',
    'bootstrap/serve',
    'database/open-database',
  ].map((module) => import(`../../dist/src/${module}.js`)),
);

run(() =>
  serve(async (onEnd) => {
    await openDatabase(new Config().read(DatabaseConfig), onEnd);
    const service = new Service();
    onEnd(() => service.stop());
    service.start();
    const watcher = watch(['src', 'migrations', 'embedded-postgres'], { cwd: root, ignoreInitial: true });
    let settled;
    const rebuildSoon = () => {
      clearTimeout(settled);
      settled = setTimeout(() => void rebuild(service), SETTLED);
    };
    if (hasKeys) {
      const keys = createInterface({ input: process.stdin });
      keys.on('line', (line) => {
        if (line.trim() === 'r') void rebuild(service, '--migrate-again');
      });
      onEnd(async () => keys.close());
    }
    watcher.on('all', rebuildSoon).on('ready', rebuildSoon); // also covers files saved before watching began
    onEnd(async () => {
      await watcher.close();
      clearTimeout(settled);
      await rebuilding; // it would start the service again
    });
  }),
);

/** Rebuilds run one at a time. */
let rebuilding = Promise.resolve();
/** Whether the running service is older than the build: a failed build may have compiled some files. */
let isBehind = false;

/** @param args arguments for the service: `--migrate-again` reapplies changed migrations */
function rebuild(service, ...args) {
  return (rebuilding = rebuilding.then(async () => {
    const begin = () => {
      isBehind = true;
      console.log('Building…');
    };
    try {
      isBehind = (await build({ begin })) || isBehind;
      if (isBehind || args.length > 0) await service.restart(...args);
      isBehind = false;
    } catch ({ message }) {
      console.error(message); // the old service keeps running
    }
  }));
}

class Service {
  #child;

  start(...args) {
    // In a separate process group: Ctrl-C reaches only this process, which then stops both.
    const keys = hasKeys ? ['--keys'] : [];
    const flags = ['--import', new URL('source-maps.mjs', import.meta.url).href, '--stack-trace-limit=30'];
    const command = [...flags, at('tools/scripts/dev-service.mjs'), ...keys, ...args];
    this.#child = spawn(process.execPath, command, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        SHUTDOWN_GRACE_SECONDS: '0',
        FAST_PATHS: 'off', // so that the stack of a failed statement names the line that sent it
        NODE_COMPILE_CACHE: at('dist/compile-cache'),
        ...process.env,
      },
      detached: true,
    });
    this.#child.once('exit', (code) => {
      if (code) console.error('The service has ended. The next save starts it again.');
    });
  }

  async stop() {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (child.connected) child.disconnect();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
    await ended;
    clearTimeout(late);
  }

  async restart(...args) {
    await this.stop();
    this.start('--again', ...args);
  }
}
