// How many events per second can be delivered to webhooks without falling behind. See tools/bench/README.md.
// Run: npm run bench:webhooks -- [--rates 300,600,900] [--endpoints 3] [--seconds 30] [--node PATH]
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clusterCpu, machineCpu, processCpu } from './cpu.mjs';
import { openDatabase, sql } from './database.mjs';
import { median, print, setting } from './report.mjs';
import { requireBuild } from './scene.mjs';
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

await session(async ({ folder, signal, undo }) => {
  requireBuild();
  const database = await openDatabase(folder);
  undo(database.remove);
  await sql(database.url, 'SELECT 1');
  const receiver = await startReceiver(node);
  undo(receiver.stop);
  const server = await startServer('ours', {
    node,
    folder,
    databaseUrl: database.url,
    signal,
    extraEnv: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  });
  undo(server.stop);
  const key = await createKey(
    { node, databaseUrl: database.url },
    { name: 'bench', perMinute: 1e8, perDay: 1e9 },
  );
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (let i = 0; i < endpoints; i++) {
    const body = JSON.stringify({ url: `${receiver.origin}/${i}` });
    const { status } = await fetch(`${server.origin}/v1/webhooks`, { method: 'POST', headers, body });
    if (status !== 201) throw new Error(`A webhook was refused with ${status}`);
  }
  await load(server.origin, headers, 50, 3); // warm-up
  await sleep(2_000);
  const { date, node: version, cpu: processors } = setting({ node, rounds: 1, measureSeconds: seconds });
  console.log([date, version, processors, `load average ${loadavg()[0].toFixed(1)}`].join(', '));
  const rows = [];
  for (const rate of values.rates.split(',').map(Number)) rows.push(await measure(rate));
  print(
    [
      'events/s',
      'deliveries/s',
      'late p50 ms',
      'late p99 ms',
      'kept up',
      'service CPU',
      'PostgreSQL CPU',
      'others CPU',
    ],
    rows,
  );

  async function measure(rate) {
    receiver.reset();
    const cpu = () => [processCpu(server.pid), clusterCpu(database.postmaster), machineCpu()];
    const before = cpu();
    const start = performance.now();
    const sent = await load(server.origin, headers, rate, seconds);
    const took = performance.now() - start;
    const expected = sent * endpoints;
    const until = performance.now() + PATIENCE;
    while (receiver.lateness.length < expected && performance.now() < until) await sleep(50);
    const [service, cluster, machine] = cpu().map((after, i) => (after - before[i]) / 1e3 / took);
    const inTime = receiver.lateness.length;
    const sorted = [...receiver.lateness].sort((one, other) => one - other);
    const row = [
      (sent / (took / 1000)).toFixed(0),
      (inTime / (took / 1000)).toFixed(0),
      median(sorted).toFixed(0),
      sorted[Math.floor(sorted.length * 0.99)]?.toFixed(0) ?? '-',
      inTime >= expected ? 'yes' : `${((inTime / expected) * 100).toFixed(0)} %`,
      ...[service, cluster, machine - service - cluster].map((share) => `${(share * 100).toFixed(0)} %`),
    ];
    console.log(row.join('  '));
    while (receiver.lateness.length < expected) await sleep(100, undefined, { signal }); // the rest
    return row;
  }
});

/** Creates pets at a steady rate. Returns their number. */
async function load(origin, headers, rate, duration) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const body = JSON.stringify({ name: 'Rex', categoryId: 7 });
  const start = performance.now();
  const open = new Set();
  let sent = 0;
  while (performance.now() - start < duration * 1000) {
    const due = Math.floor(((performance.now() - start) / 1000) * rate);
    for (; sent < due; sent++) {
      const done = new Promise((resolve, reject) => {
        const creation = request(`${origin}/v1/pets`, { method: 'POST', headers, agent }, (response) => {
          if (response.statusCode !== 201) reject(new Error(`A pet was refused with ${response.statusCode}`));
          response.resume().on('end', resolve);
        });
        creation.on('error', reject).end(body);
      });
      open.add(done);
      done.finally(() => open.delete(done)).catch(() => undefined);
    }
    await sleep(TICK);
  }
  await Promise.all(open);
  agent.destroy();
  return sent;
}

/** Runs all endpoints in a separate process, which prints how long after its event each message arrived. */
async function startReceiver(node) {
  const path = fileURLToPath(new URL('webhook-receiver.mjs', import.meta.url));
  const child = spawn(node, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const receiver = { lateness: [], reset: () => (receiver.lateness = []), stop: () => child.kill() };
  receiver.origin = await new Promise((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => receiver.lateness.push(...line.split(' ').map(Number)));
  return receiver;
}
