// npm run trace-request: how many of our files and calls a warm request runs through; `--files` names the files.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from './database.mjs';
import { print } from './report.mjs';
import { seedPets } from './scene.mjs';
import { createKey } from './servers.mjs';
import { session } from './session.mjs';

const OURS = new URL('../../dist/', import.meta.url).href;
const WARM_UP = 300; // requests
const RUNS = 9; // background timers run in between, so the lowest count is used

if (process.send) {
  await session(async (scene) => {
    process.send(await measure(scene));
  });
  process.disconnect();
} else {
  // A process of its own, because the service prints a line for each request.
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
  const child = fork(fileURLToPath(import.meta.url), { stdio }).on('message', report);
  [process.exitCode] = await once(child, 'close');
}

function report(traces) {
  if (process.argv.includes('--files'))
    for (const { name, files } of traces) console.log(`\n${name}\n${files.join('\n')}`);
  print(
    ['request', 'files', 'calls'],
    traces.map(({ name, files, calls }) => [name, files.length, calls]),
  );
}

async function measure({ folder, undo }) {
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const { origin, petId, key } = await startService(folder, undo);
  const requests = {
    'GET /v1/pets': () => ['/v1/pets?limit=20&status=available'],
    'POST /v1/pets': (i) => ['/v1/pets', 'POST', { name: `Rex ${i}`, categoryId: 7 }],
    'PATCH /v1/pets/{petId}': (i) => [`/v1/pets/${petId}`, 'PATCH', { name: `Rex ${i}` }],
  };
  const found = [];
  for (const [name, request] of Object.entries(requests)) {
    for (let i = 0; i < WARM_UP; i++) await send(...request(i));
    const traces = [];
    for (let i = 0; i < RUNS; i++) traces.push(await trace(() => send(...request(i + WARM_UP))));
    found.push({ name, ...traces.toSorted((a, b) => a.calls - b.calls)[0] });
  }
  return found;

  async function send(path, method = 'GET', body = undefined) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  }

  /** The files and calls of ours that run during `run`. */
  async function trace(run) {
    await inspector.post('Profiler.takePreciseCoverage'); // resets the counts
    await run();
    await sleep(5); // includes what follows the response, such as the log line
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    const ran = result
      .filter(({ url }) => url.startsWith(`${OURS}src/`))
      .map(({ url, functions }) => [functions.reduce((sum, { ranges: [{ count }] }) => sum + count, 0), url])
      .filter(([calls]) => calls > 0);
    return {
      files: ran.map(([calls, url]) => `${String(calls).padStart(4)}  ${url.replace(OURS, '')}`),
      calls: ran.reduce((sum, [calls]) => sum + calls, 0),
    };
  }
}

/** Starts the service in this process, with a pet and a key. */
async function startService(folder, undo) {
  const database = await openDatabase(folder);
  undo(database.remove);
  Object.assign(process.env, { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', WEBHOOK_WORKER: 'off' });
  const { SERVICE } = await import(`${OURS}src/service.js`);
  const { Config, createApp, migrate, migrationsOf } = await import(`${OURS}src/platform/program/tools.js`);
  await migrate(database.url, migrationsOf(SERVICE));
  const [petId] = await seedPets(database.url);
  const app = await createApp(
    SERVICE,
    new Config({ ...process.env, DATABASE_URL: database.url }),
    database.url,
  );
  undo(() => app.close());
  await app.listen(0, '127.0.0.1');
  const target = { node: process.execPath, databaseUrl: database.url };
  const key = await createKey(target, { name: 'trace', perMinute: 1e8, perDay: 1e9 });
  return { origin: await app.getUrl(), petId, key };
}
