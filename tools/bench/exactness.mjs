// With four server processes, one Redis and one key: do exactly as many requests pass in each round as the limit
// allows?
// Run: npm run bench:exactness [-- --rounds 20]
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from './database.mjs';
import { startRedis } from './redis.mjs';
import { createKey, startServer } from './servers.mjs';

const SERVERS = 4;
const CONCURRENCY = 50;
const REQUESTS = 200; // per server
const LIMIT = 500;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(values.rounds);
const folder = await mkdtemp(join(tmpdir(), 'petstore-exactness-'));
const node = process.execPath;
const started = [];
let failed = 0;
try {
  const database = await openDatabase(folder);
  started.push(database.remove);
  const redis = await startRedis(folder);
  started.push(redis.stop);
  for (const clock of ['right', 'off by 10 s on one server'])
    failed += await measure(clock, database.url, redis.url);
} finally {
  for (const stop of started.reverse()) await stop();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

async function measure(clock, databaseUrl, redisUrl) {
  const servers = [];
  for (let i = 0; i < SERVERS; i++) {
    const off =
      clock !== 'right' && i === 0
        ? { NODE_OPTIONS: `--import=${new URL('clock-off.mjs', import.meta.url)}` }
        : {};
    const extraEnv = { REDIS_URL: redisUrl, ...off };
    servers.push(await startServer('ours', { node, folder, databaseUrl, extraEnv }));
  }
  try {
    let exact = 0;
    for (let round = 1; round <= rounds; round++) {
      const key = await createKey(
        { node, databaseUrl },
        { name: `round ${round}`, perMinute: LIMIT, perDay: 100_000 },
      );
      const counts = await Promise.all(servers.map(({ origin }) => load(origin, key)));
      const admitted = counts.reduce((sum, count) => sum + count);
      if (admitted === LIMIT) exact += 1;
      else console.log(`round ${round}: ${admitted} admitted, the limit is ${LIMIT}`);
    }
    console.log(
      `clocks ${clock}: ${exact} of ${rounds} rounds admitted exactly ${LIMIT} of ${SERVERS * REQUESTS} requests`,
    );
    return rounds - exact;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Sends one server's requests with limited concurrency. Returns how many were admitted. */
async function load(origin, key) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const statuses = await Promise.all(
    Array.from({ length: REQUESTS }, () => status(`${origin}/v1/pets?limit=1`, key, agent)),
  );
  agent.destroy();
  const strange = statuses.find((s) => s !== 200 && s !== 429);
  if (strange) throw new Error(`returned ${strange}`);
  return statuses.filter((s) => s === 200).length;
}

function status(url, key, agent) {
  return new Promise((resolve, reject) => {
    request(url, { agent, headers: { Authorization: `Bearer ${key}` } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}
