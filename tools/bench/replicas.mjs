// What a request costs with 1, 2, 4 and 8 replicas behind HAProxy on one Redis, each with the same rate; what it costs
// one replica at other rates; and what an idle replica costs, also while keys change.
// Run: npm run bench:replicas -- [--rounds 3] [--rate 100] [--node PATH]; needs redis-server, haproxy and wrk
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { again } from './again.mjs';
import { processCpu } from './cpu.mjs';
import { openDatabase } from './database.mjs';
import { changeKeys } from './key-storm.mjs';
import { load } from './load.mjs';
import { startProxy } from './proxy.mjs';
import { startRedis } from './redis.mjs';
import { median, print, setting } from './report.mjs';
import { requireBuild, seedPets } from './scene.mjs';
import { createKey, startServer } from './servers.mjs';
import { session } from './session.mjs';
import { works } from './works.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '100' },
    node: { type: 'string', default: process.execPath },
  },
});
const { node } = values;
const rounds = Number(values.rounds);
const COUNTS = [1, 2, 4, 8];
/**
 * Requests per second and replica. The machine must handle eight times as many, or the replicas wait for each other.
 */
const RATE = Number(values.rate);
/** For that rate. */
const CONNECTIONS = 16;
const PAUSE = (CONNECTIONS / RATE) * 1000;
const SECONDS = 6;
const IDLE_SECONDS = 10;
const STORM = 1000; // changed keys per second
const STORM_SECONDS = 5;

await session(async ({ folder, signal, undo }) => {
  requireBuild();
  const database = await openDatabase(folder);
  undo(database.remove);
  const redis = await startRedis(folder);
  undo(redis.stop);
  console.log(Object.values(setting({ node, rounds, measureSeconds: SECONDS })).join(', '));

  const extraEnv = { REDIS_URL: redis.url, WEBHOOK_WORKER: 'off' }; // a separate worker delivers, as in production
  const replicas = [];
  while (replicas.length < Math.max(...COUNTS)) {
    const server = await startServer('ours', { node, folder, databaseUrl: database.url, extraEnv, signal });
    undo(server.stop);
    replicas.push(server);
  }
  const key = await createKey(
    { node, databaseUrl: database.url },
    { name: 'bench', perMinute: 1e8, perDay: 1e9 },
  );
  const work = works(await seedPets(database.url))['list-varied'];
  const proxies = new Map();
  for (const count of COUNTS) {
    const proxy = await startProxy(folder, replicas.slice(0, count));
    undo(proxy.stop);
    proxies.set(count, proxy.origin);
  }
  for (const { origin } of replicas) await load('wrk', { origin, work, key, seconds: 3, signal }); // V8 must optimise each replica
  await sleep(3000);
  const idle = await share(IDLE_SECONDS);

  /** @param times the rate, as a multiple of RATE */
  const row = (count, times) => ({ count, times, samples: [] });
  const spread = COUNTS.map((count) => row(count, count));
  const alone = COUNTS.slice(1).map((times) => row(1, times));
  for (let round = 0; round < rounds; round++)
    for (const { count, times, samples } of [...spread, ...alone])
      samples.push(await again(() => sample(count, times)));
  const [one] = spread;
  const line = ({ count, times, samples }) => {
    const micros = samples.map((each) => each.micros);
    return [
      String(count),
      median(samples.map(({ perSecond }) => perSecond)).toFixed(0),
      median(micros).toFixed(0),
      `${Math.min(...micros).toFixed(0)}..${Math.max(...micros).toFixed(0)}`,
      median(micros.map((each, i) => each / one.samples[i].micros)).toFixed(2),
      median(samples.map((each) => each.redisMicros)).toFixed(1),
    ];
  };
  const titles = ['replicas', 'requests/s', 'CPU us/request', 'rounds', 'x one', 'Redis us'];
  console.log(`\n${RATE} requests a second for each replica`);
  print(titles, spread.map(line));
  console.log('\nOne replica');
  print(titles, [one, ...alone].map(line));

  const storm = await share(STORM_SECONDS, () => changeKeys(database.url, STORM, STORM_SECONDS));
  console.log(
    `\nEach of ${replicas.length} replicas uses ${(idle * 100).toFixed(2)} % of a core without requests,`,
  );
  console.log(`and ${(storm * 100).toFixed(2)} % while ${STORM} keys change in a second.`);

  /** CPU per request, minus the idle CPU of the replicas. */
  async function sample(count, times) {
    const used = replicas.slice(0, count);
    const before = [cpuOf(used), processCpu(redis.pid), performance.now()];
    const target = {
      origin: proxies.get(count),
      work,
      key,
      connections: CONNECTIONS * times,
      pause: PAUSE,
      signal,
    };
    const { responses, perSecond } = await load('wrk', { ...target, seconds: SECONDS });
    const idleMicros = idle * count * (performance.now() - before[2]) * 1000;
    return {
      micros: (cpuOf(used) - before[0] - idleMicros) / responses,
      redisMicros: (processCpu(redis.pid) - before[1]) / responses,
      perSecond,
    };
  }

  /** The share of a core that each replica uses. */
  async function share(seconds, work) {
    const before = cpuOf(replicas);
    await Promise.all([sleep(seconds * 1000, undefined, { signal }), work?.()]);
    return (cpuOf(replicas) - before) / 1e6 / seconds / replicas.length;
  }
});

function cpuOf(servers) {
  return servers.reduce((sum, { pid }) => sum + processCpu(pid), 0);
}
