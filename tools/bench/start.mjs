// Measures from the start of the process to the first 200 of /health/ready, on a database that is already migrated.
// Run: npm run bench:start -- [--runs 10] [--node PATH]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { processCpu } from './cpu.mjs';
import { openDatabase } from './database.mjs';
import { median } from './report.mjs';
import { requireBuild } from './scene.mjs';
import { commandOf, freePort, startServer } from './servers.mjs';
import { session } from './session.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    node: { type: 'string', default: process.execPath },
  },
});
const root = fileURLToPath(new URL('../..', import.meta.url));
const POLL = 5; // ms
const PATIENCE = 30_000; // ms

await session(async ({ folder, signal, undo }) => {
  requireBuild();
  const { node } = values;
  const database = await openDatabase(folder);
  undo(database.remove);
  const first = await startServer('ours', { node, folder, databaseUrl: database.url, signal });
  await first.stop(); // it has created the tables
  const times = [];
  for (let run = 0; run < Number(values.runs); run++) times.push(await timeStart(node, database.url, signal));
  report(times, 'wall', 'start to ready');
  report(times, 'cpu', 'CPU of the process'); // may exceed the elapsed time, because the process has several threads
});

async function timeStart(node, databaseUrl, signal) {
  const port = await freePort();
  const env = { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', DATABASE_URL: databaseUrl };
  const start = performance.now();
  const child = spawn(node, commandOf('ours'), {
    cwd: root,
    env: { ...env, PORT: String(port) },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || performance.now() - start > PATIENCE)
        throw new Error('the service did not become ready');
      await sleep(POLL, undefined, { signal });
    }
    return { wall: performance.now() - start, cpu: processCpu(child.pid) / 1000 };
  } finally {
    child.kill();
    await ended;
  }
}

function report(times, of, title) {
  const all = times.map((time) => time[of]);
  const [middle, least, most] = [median(all), Math.min(...all), Math.max(...all)].map((ms) => ms.toFixed(0));
  console.log(`${title}: median ${middle} ms of ${all.length}, ${least} to ${most} ms`);
}

function isReady(port) {
  return new Promise((resolve) => {
    get({ port, host: '127.0.0.1', path: '/health/ready', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
