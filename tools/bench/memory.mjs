// How much memory the service uses under load from many keys. See tools/bench/README.md.
// Run: npm run bench:memory -- [--minutes 10] [--keys 1000000] [--rate 2500] [--node PATH]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { processCpu } from './cpu.mjs';
import { openDatabase, withClient } from './database.mjs';
import { print } from './report.mjs';
import { requireBuild } from './scene.mjs';
import { startServer } from './servers.mjs';
import { session } from './session.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    keys: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '2500' }, // requests per second
    heap: { type: 'string', default: '256' }, // MB; the default of Node.js in a container of 512 MB
    node: { type: 'string', default: process.execPath },
  },
});
const minutes = Number(values.minutes);
const count = Number(values.keys);
const rate = Number(values.rate);

const MOST_OPEN = 64;
const TICK = 10; // ms
const CHUNK = 10_000; // keys per INSERT
const SAMPLE_EVERY = 30_000; // ms

await session(async ({ folder, signal, undo }) => {
  requireBuild();
  const database = await openDatabase(folder);
  undo(database.remove);
  const flags = [`--max-old-space-size=${values.heap}`];
  const common = { node: values.node, flags, folder, databaseUrl: database.url, signal };
  const server = await startServer('ours', common);
  undo(server.stop);
  const secrets = await makeKeys(database.url, signal);
  console.log(`${count} keys in the table; ${rate} requests/s for ${minutes} min, each with the next key.`);
  const load = startLoad(server.origin, secrets);
  undo(load.stop);
  await watch(server, load, signal);
});

/** Creates rows by SQL. The secrets have the service's format, because it refuses others without a look-up. */
async function makeKeys(databaseUrl, signal) {
  const { makeSecret, hashSecret } = await import('../../dist/src/auth/secret.js');
  const secrets = [];
  await withClient(databaseUrl, async (client) => {
    while (secrets.length < count) {
      signal.throwIfAborted();
      const chunk = Array.from({ length: Math.min(CHUNK, count - secrets.length) }, makeSecret);
      await client.query(
        `INSERT INTO api_keys (name, plan, per_minute, per_day, hash, prefix, last_four)
         SELECT 'bench', 'enterprise', 1000, 100000, decode(hash, 'hex'), 'petstore_', 'last'
         FROM unnest($1::text[]) AS hash`,
        [chunk.map(hashSecret)],
      );
      secrets.push(...chunk);
    }
    await client.query('VACUUM ANALYZE api_keys');
  });
  return secrets;
}

/** Sends requests at a fixed rate, with a limit on concurrent ones: a slow server gets fewer. */
function startLoad(origin, secrets) {
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_OPEN });
  const state = { sent: 0, open: 0, failed: 0, reasons: new Set() };
  const send = () => {
    const secret = secrets[state.sent++ % secrets.length];
    state.open += 1;
    const headers = { authorization: `Bearer ${secret}` };
    const done = (failure) => {
      state.open -= 1;
      if (failure === undefined) return;
      state.failed += 1;
      state.reasons.add(failure);
    };
    request(`${origin}/v1/pets?limit=5`, { agent, headers }, (response) => {
      const { statusCode } = response;
      response.resume().on('end', () => done(statusCode === 200 ? undefined : statusCode));
    })
      .on('error', (error) => done(error.code))
      .end();
  };
  let due = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    due += Math.min((now - last) / 1000, 0.1) * rate; // a longer delay is not caught up
    last = now;
    for (; due >= 1; due--) if (state.open < MOST_OPEN) send();
  }, TICK);
  return {
    state,
    stop: () => {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

async function watch(server, { state }, signal) {
  const start = performance.now();
  const rows = [];
  for (let now = 0; now <= minutes * 60_000; now += SAMPLE_EVERY) {
    await sleep(Math.max(0, start + now - performance.now()), undefined, { signal });
    rows.push([(now / 60_000).toFixed(1), state.sent, state.failed, ...residentOf(server.pid)]);
    console.log(rows.at(-1).join('  '));
  }
  const cpu = processCpu(server.pid) / state.sent;
  print(['minute', 'requests', 'failed', 'RSS MB', 'highest RSS MB'], rows);
  console.log(`\n${cpu.toFixed(0)} us CPU per request, the start included.`);
  if (state.failed > 0) throw new Error(`${state.failed} requests failed: ${[...state.reasons].join()}`);
}

/** Current and peak resident memory, in MB (10^6 bytes); see proc(5), /proc/pid/status. */
function residentOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const read = (name) => Math.round((Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) * 1024) / 1e6);
  return [read('VmRSS'), read('VmHWM')];
}
