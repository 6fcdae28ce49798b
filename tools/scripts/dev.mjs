#!/usr/bin/env node
// npm run dev: `nest build --watch`, and the service, started again after each build. Beyond `nest start --watch`, this
// process owns the embedded PostgreSQL, which keeps running, and notices migrations that change after they were applied.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SETTLED = 50; // milliseconds without a further file, because an editor may save several at once
const STOP_TIMEOUT = 500; // milliseconds
/** Whether a person can press keys. */
const hasKeys = process.stdin.isTTY === true;
/** In the service, where npm runs its scripts. */
const at = (path) => join(process.cwd(), path);

// In the process group of this process: Ctrl-C ends both, during the first build too.
const nest = spawn(process.execPath, [at('node_modules/@nestjs/cli/bin/nest.js'), 'build', '--watch'], {
  cwd: at(''),
  stdio: ['ignore', 'inherit', 'pipe'],
});
process.once('exit', () => nest.kill());
/** Calls back after each successful build. */
let onBuilt;
const firstBuild = new Promise((resolve) => (onBuilt = resolve));
createInterface({ input: nest.stderr }).on('line', (line) => {
  console.error(line);
  if (line.startsWith('Successfully compiled')) onBuilt();
});

await firstBuild;
const [{ SERVICE }, { Config, DatabaseConfig, migrationsOf, openDatabase, run, serve }] = await Promise.all([
  import(pathToFileURL(at('dist/src/service.js')).href),
  import('../../dist/src/platform/program/tools.js'),
]);

run(() =>
  serve(async (onEnd) => {
    await openDatabase(new Config().read(DatabaseConfig), migrationsOf(SERVICE), onEnd);
    const service = new Service();
    onEnd(() => service.stop());
    service.start();
    let settled;
    onBuilt = () => {
      clearTimeout(settled);
      settled = setTimeout(() => void service.restart(), SETTLED);
    };
    onEnd(async () => clearTimeout(settled));
    onEnd(async () => void nest.kill());
    if (!hasKeys) return;
    const keys = createInterface({ input: process.stdin });
    keys.on('line', (line) => {
      if (line.trim() === 'r') void service.restart('--migrate-again'); // reapplies changed migrations
    });
    onEnd(async () => keys.close());
  }),
);

class Service {
  #child;
  /** Restarts run one at a time. */
  #restarting = Promise.resolve();
  #hasStopped = false;

  start(...args) {
    const keys = hasKeys ? ['--keys'] : [];
    const flags = ['--import', new URL('source-maps.mjs', import.meta.url).href, '--stack-trace-limit=30'];
    const command = [...flags, fileURLToPath(new URL('dev-service.mjs', import.meta.url)), ...keys, ...args];
    this.#child = spawn(process.execPath, command, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: {
        SHUTDOWN_GRACE_SECONDS: '0',
        NODE_COMPILE_CACHE: at('dist/compile-cache'),
        ...process.env,
      },
      detached: true,
    });
    this.#child.once('exit', (code) => {
      if (code) console.error('The service has ended. The next save starts it again.');
    });
  }

  restart(...args) {
    return (this.#restarting = this.#restarting.then(async () => {
      if (this.#hasStopped) return;
      await this.#end();
      this.start('--again', ...args);
    }));
  }

  async stop() {
    this.#hasStopped = true;
    await this.#restarting;
    await this.#end();
  }

  async #end() {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (child.connected) child.disconnect();
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT);
    await ended;
    clearTimeout(late);
  }
}
