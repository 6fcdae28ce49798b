// What a request costs with 1, 2, 4 and 8 replicas behind HAProxy on one Redis, and what a replica costs that only hears of changed
// keys. Run: npm run bench:replicas -- [--rounds 3] [--node PATH]; needs redis-server, haproxy and wrk
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { processCpu } from './cpu.mjs';
import { openDatabase, sql, withClient } from './database.mjs';
import { load } from './load.mjs';
import { startRedis } from './redis.mjs';
import { median, print, setting } from './report.mjs';
import { requireBuild, seedPets } from './scene.mjs';
import { createKey, freePort, startServer } from './servers.mjs';
import { session } from './session.mjs';
import { works } from './works.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    node: { type: 'string', default: process.execPath },
  },
});
const { node } = values;
const rounds = Number(values.rounds);
const COUNTS = [1, 2, 4, 8];
const CONNECTIONS = 32; // of each replica: with fewer requests at a time fewer share a packet
const SECONDS = 3;
const STORM = 1000; // changes of keys in a second
const STORM_SECONDS = 5;

await session(async ({ folder, signal, undo }) => {
  requireBuild();
  const database = await openDatabase(folder);
  undo(database.remove);
  const redis = await startRedis(folder);
  undo(redis.stop);
  console.log(Object.values(setting({ node, rounds, measureSeconds: SECONDS })).join(', '));

  const extraEnv = { REDIS_URL: redis.url, WEBHOOK_WORKER: 'off' }; // a worker of its own delivers, as in production
  const replicas = [];
  const start = async () => {
    const server = await startServer('ours', { node, folder, databaseUrl: database.url, extraEnv, signal });
    undo(server.stop);
    replicas.push(server);
  };
  await start();
  const key = await createKey(
    { node, databaseUrl: database.url },
    { name: 'bench', perMinute: 1e8, perDay: 1e9 },
  );
  const petIds = await seedPets(database.url);
  const work = works(petIds)['list-varied'];

  const rows = [];
  for (const count of COUNTS) {
    while (replicas.length < count) await start();
    const proxy = await startProxy(folder, replicas);
    try {
      const target = { origin: proxy.origin, work, key, connections: CONNECTIONS * count, signal };
      await load('wrk', { ...target, seconds: 3 * count }); // V8 has to optimise each
      rows.push([String(count), ...(await costs(target))]);
    } finally {
      await proxy.stop();
    }
  }
  print(['replicas', 'CPU us/request', 'rounds', 'Redis us', 'requests/s'], rows);
  await idleAndStorm();

  async function costs(target) {
    const samples = [];
    for (let round = 0; round < rounds; round++) {
      const before = [cpuOf(replicas), processCpu(redis.pid)];
      const { responses, perSecond } = await load('wrk', { ...target, seconds: SECONDS });
      const [service, redisMicros] = [cpuOf(replicas) - before[0], processCpu(redis.pid) - before[1]];
      samples.push({ service: service / responses, redis: redisMicros / responses, perSecond });
    }
    const of = (name) => samples.map((sample) => sample[name]);
    const range = `${Math.min(...of('service')).toFixed(0)}..${Math.max(...of('service')).toFixed(0)}`;
    return [
      median(of('service')).toFixed(1),
      range,
      median(of('redis')).toFixed(1),
      median(of('perSecond')).toFixed(0),
    ];
  }

  /** The share of a core that each of the replicas uses. */
  async function share(seconds, work) {
    const before = cpuOf(replicas);
    await Promise.all([sleep(seconds * 1000, undefined, { signal }), work?.()]);
    return (((cpuOf(replicas) - before) / 1e6 / seconds / replicas.length) * 100).toFixed(2);
  }

  async function idleAndStorm() {
    await sleep(3000);
    const idle = await share(10);
    const storm = await share(STORM_SECONDS, () => changeKeys(database.url));
    console.log(`\nEach of ${replicas.length} replicas uses ${idle} % of a core without requests,`);
    console.log(`and ${storm} % while ${STORM} keys change in a second.`);
  }
});

function cpuOf(servers) {
  return servers.reduce((sum, { pid }) => sum + processCpu(pid), 0);
}

/** Each change is a transaction of its own, as by as many commands. */
async function changeKeys(url) {
  await sql(
    url,
    `INSERT INTO api_keys (name, plan, hash, prefix, last_four)
     SELECT 'storm ' || n, 'free', sha256(n::text::bytea), 'petstore_', '0000' FROM generate_series(1, 100) AS n`,
  );
  const [{ ids }] = await sql(url, 'SELECT array_agg(id) AS ids FROM api_keys');
  await withClient(url, async (client) => {
    const begin = performance.now();
    for (let i = 0; i < STORM * STORM_SECONDS; i++) {
      const ahead = (i / STORM) * 1000 - (performance.now() - begin);
      if (ahead > 1) await sleep(ahead);
      await client.query(`UPDATE api_keys SET name = $2 WHERE id = $1`, [ids[i % ids.length], `storm ${i}`]);
    }
  });
}

async function startProxy(folder, servers) {
  const port = await freePort();
  const lines = servers.map(({ origin }, i) => `  server s${i} ${origin.replace('http://', '')}`);
  const config = `
global
  maxconn 1000
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
listen petstore
  bind 127.0.0.1:${port}
  balance roundrobin
${lines.join('\n')}
`;
  const file = join(folder, `haproxy-${servers.length}.cfg`);
  await writeFile(file, config);
  const child = spawn('haproxy', ['-q', '-db', '-f', file]);
  await once(child, 'spawn');
  const origin = `http://127.0.0.1:${port}`;
  while (!(await fetch(origin).then(Boolean, () => false))) await sleep(50);
  const stop = async () => {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  };
  return { origin, stop };
}
