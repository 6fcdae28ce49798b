// How many events per second can be delivered to webhooks without falling behind.
// Run: node lab/bench/webhooks.mjs [--rates 300,600,900] [--endpoints 3] [--seconds 30] [--node PATH]
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { clusterCpu, machineCpu, processCpu } from './cpu.mjs';
import { openDatabase } from './database.mjs';
import { startReceiver } from './receiver.mjs';
import { print, quantile, setting } from './report.mjs';
import { createKey, startServer } from './servers.mjs';
import { session } from './session.mjs';

const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '300,600,900,1200' }, // events per second
    endpoints: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '30' },
    node: { type: 'string', default: process.execPath },
  },
});
const { node } = values;
const endpoints = Number(values.endpoints);
const seconds = Number(values.seconds);
const TICK = 10; // ms
/** A worker that keeps up has delivered everything this long after the last event. */
const PATIENCE = 3_000; // ms
const HEAD = ['deliveries/s', 'late p50 ms', 'late p99 ms', 'kept up', 'service', 'PostgreSQL', 'others'];

await session(async ({ folder, signal, undo }) => {
  const database = await openDatabase(folder);
  undo(database.remove);
  const receiver = await startReceiver();
  undo(receiver.stop);
  const common = { node, folder, databaseUrl: database.url, signal };
  const extraEnv = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const server = await startServer('ours', { ...common, extraEnv });
  undo(server.stop);
  const key = await createKey(common, { name: 'bench', perMinute: 1e8, perDay: 1e9 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post = async (path, body) => {
    const response = await fetch(server.origin + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    await response.arrayBuffer();
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status}`);
  };
  const createPet = () => post('/v1/pets', { name: 'Rex', categoryId: 7 });
  for (let i = 0; i < endpoints; i++) await post('/v1/webhooks', { url: `${receiver.origin}/${i}` });
  await atRate(50, 3, createPet); // warm-up
  await sleep(2_000);
  console.log(Object.values(setting({ node, rounds: 1, measureSeconds: seconds })).join(', '));
  const rows = [];
  for (const rate of values.rates.split(',').map(Number)) {
    rows.push([rate, ...(await measure(rate))]);
    console.log(rows.at(-1).join('  '));
  }
  print(['events/s', ...HEAD], rows);

  async function measure(rate) {
    receiver.lateness = [];
    const cpu = () => [processCpu(server.pid), clusterCpu(database.postmaster), machineCpu()];
    const before = cpu();
    const start = performance.now();
    const expected = (await atRate(rate, seconds, createPet)) * endpoints;
    const took = performance.now() - start;
    while (receiver.lateness.length < expected && performance.now() < start + took + PATIENCE)
      await sleep(50);
    const share = cpu().map((after, i) => (after - before[i]) / 10 / took); // per cent of a core
    const inTime = receiver.lateness.length;
    const late = [0.5, 0.99].map((of) => quantile(receiver.lateness, of).toFixed(0));
    while (receiver.lateness.length < expected) await sleep(100, undefined, { signal }); // the rest
    return [
      (inTime / (took / 1000)).toFixed(0),
      ...late,
      `${((inTime / expected) * 100).toFixed(0)} %`,
      ...[share[0], share[1], share[2] - share[0] - share[1]].map((percent) => `${percent.toFixed(0)} %`),
    ];
  }
});

/** Starts `work` at a steady rate. Returns how often. */
async function atRate(rate, duration, work) {
  const start = performance.now();
  const started = [];
  while (performance.now() - start < duration * 1000) {
    while (started.length < ((performance.now() - start) / 1000) * rate) started.push(work());
    await sleep(TICK);
  }
  await Promise.all(started);
  return started.length;
}
