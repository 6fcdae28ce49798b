// Do four processes on one Redis admit exactly the limit of a key, even if the clock of one of them is 10 s ahead?
// Run: node lab/bench/exactness.mjs [--rounds 20]
import { parseArgs } from 'node:util';
import { startRedis } from '../soak/redis.mjs';
import { openDatabase } from './database.mjs';
import { createKey, freePort, startServer } from './servers.mjs';
import { session } from './session.mjs';

const SERVERS = 4;
const REQUESTS = 200; // per server
const LIMIT = 500;
const AHEAD = '--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()+10000';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(values.rounds);

await session(async ({ folder, undo, signal }) => {
  const database = await openDatabase(folder);
  undo(database.remove);
  const redis = await startRedis(folder, await freePort());
  undo(redis.stop);
  const common = { node: process.execPath, folder, databaseUrl: database.url, signal };
  let missed = 0;
  for (const [clocks, NODE_OPTIONS] of [
    ['equal clocks', ''],
    ['one clock 10 s ahead', AHEAD],
  ]) {
    const servers = [];
    for (let i = 0; i < SERVERS; i++) {
      const extraEnv = { REDIS_URL: redis.url, ...(i === 0 ? { NODE_OPTIONS } : {}) };
      servers.push(await startServer('ours', { ...common, extraEnv }));
    }
    const stop = () => Promise.all(servers.map((server) => server.stop()));
    undo(stop);
    let exact = 0;
    for (let round = 1; round <= rounds; round++) {
      const key = await createKey(common, { name: `round ${round}`, perMinute: LIMIT, perDay: 100_000 });
      const admitted = await countAdmitted(servers, key);
      if (admitted === LIMIT) exact += 1;
      else console.log(`round ${round}: ${admitted} admitted, the limit is ${LIMIT}`);
    }
    const sent = SERVERS * REQUESTS;
    console.log(`${clocks}: ${exact} of ${rounds} rounds admitted exactly ${LIMIT} of ${sent} requests`);
    missed += rounds - exact;
    await stop();
  }
  return missed === 0 ? 0 : 1;
});

async function countAdmitted(servers, key) {
  const headers = { authorization: `Bearer ${key}` };
  const send = async (_, i) => {
    const response = await fetch(`${servers[i % SERVERS].origin}/v1/pets?limit=1`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200 && response.status !== 429) throw new Error(`returned ${response.status}`);
    return response.ok;
  };
  const passed = await Promise.all(Array.from({ length: SERVERS * REQUESTS }, send));
  return passed.filter(Boolean).length;
}
