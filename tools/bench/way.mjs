// npm run way: which of our files and functions a warm request runs through.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from './database.mjs';
import { print } from './report.mjs';
import { seedPets } from './scene.mjs';
import { createKey } from './servers.mjs';
import { session } from './session.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const OURS = new RegExp(`^file://${root}dist/(src|embedded-postgres)/`);
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

function report(ways) {
  if (process.argv.includes('--files'))
    for (const { name, files } of ways) console.log(`\n${name}\n${files.join('\n')}`);
  print(
    ['request', 'files', 'calls'],
    ways.map(({ name, files, calls }) => [name, files.length, calls]),
  );
  console.log(`\n${linesOfOurs()} lines in src/ and embedded-postgres/, without specs`);
}

async function measure({ folder, undo }) {
  const database = await openDatabase(folder);
  undo(database.remove);
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

  Object.assign(process.env, { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', WEBHOOK_WORKER: 'off' });
  const { Config } = await import('../../dist/src/kernel/config/config.js');
  const { createApp } = await import('../../dist/src/bootstrap/create-app.js');
  const { migrate } = await import('../../dist/src/database/migrations/migrate.js');
  await migrate(database.url);
  const [petId] = await seedPets(database.url);
  const app = await createApp(new Config({ ...process.env, DATABASE_URL: database.url }), database.url);
  undo(() => app.close());
  await app.listen(0, '127.0.0.1');
  const origin = await app.getUrl();
  const key = await createKey(
    { node: process.execPath, databaseUrl: database.url },
    { name: 'way', perMinute: 1e8, perDay: 1e9 },
  );

  const requests = {
    'GET /v1/pets': () => ['/v1/pets?limit=20&status=available'],
    'POST /v1/pets': (i) => ['/v1/pets', 'POST', { name: `Rex ${i}`, categoryId: 7 }],
    'PATCH /v1/pets/{petId}': (i) => [`/v1/pets/${petId}`, 'PATCH', { name: `Rex ${i}` }],
  };
  const found = [];
  for (const [name, request] of Object.entries(requests)) {
    for (let i = 0; i < WARM_UP; i++) await send(...request(i));
    const ways = [];
    for (let i = 0; i < RUNS; i++) ways.push(await way(() => send(...request(i + WARM_UP))));
    found.push({ name, ...ways.toSorted((a, b) => a.calls - b.calls)[0] });
  }
  return found;

  async function send(path, method = 'GET', body = undefined) {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  }

  /** The files and calls of ours that run during `run`. */
  async function way(run) {
    await inspector.post('Profiler.takePreciseCoverage'); // resets the counts
    await run();
    await sleep(5); // includes what follows the response, such as the log line
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    const ran = result
      .filter(({ url }) => OURS.test(url))
      .map(({ url, functions }) => ({
        url,
        calls: functions.reduce((sum, { ranges: [{ count }] }) => sum + count, 0),
      }))
      .filter(({ calls }) => calls > 0);
    return {
      files: ran.map(
        ({ url, calls }) => `${String(calls).padStart(4)}  ${url.replace(`file://${root}dist/`, '')}`,
      ),
      calls: ran.reduce((sum, { calls }) => sum + calls, 0),
    };
  }
}

function linesOfOurs() {
  const files = ['src', 'embedded-postgres'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((file) => join(root, folder, file)),
  );
  return files
    .filter((file) => /(?<!\.spec)\.(ts|js|css|html)$/.test(file))
    .reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);
}
