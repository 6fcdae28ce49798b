#!/usr/bin/env node
// npm run test:watch -- <pattern>: reruns tests after each save, in a new process, because a worker loads each module
// only once.
import { watch } from 'chokidar';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SETTLED = 100; // milliseconds without a further change
const root = fileURLToPath(new URL('../..', import.meta.url));
let running;
let settled;

watch(['src', 'test', 'migrations'], { cwd: root, ignoreInitial: true }).on('all', () => {
  clearTimeout(settled);
  settled = setTimeout(run, SETTLED);
});
await run();

async function run() {
  if (running) {
    const ended = once(running, 'exit');
    running.kill('SIGTERM');
    await ended;
  }
  const npm = process.env.npm_execpath; // set by npm: Node.js does not start npm.cmd on Windows
  const child = spawn(process.execPath, [npm, 'test', '--silent', '--', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
  running = child;
  child.once('exit', () => {
    if (running === child) running = undefined;
  });
}
