import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey, freePort } from '../bench/servers.mjs';
import { startPostgres } from './postgres.mjs';
import { Proxy } from './proxy.mjs';
import { startRedis } from './redis.mjs';
import { Replica } from './replica.mjs';

const REPLICAS = 4;
const MANY = 1_000_000_000;
export const LIMIT = 300;

/** Four replicas on one Redis and one PostgreSQL, each store behind a proxy. `stop` ends and removes everything. */
export async function openScene() {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-soak-'));
  await chmod(folder, 0o711); // PostgreSQL may have to run as a user other than root
  const undo = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of undo.reverse()) await step();
  };
  const stoppable = (one) => {
    undo.push(() => one.stop());
    return one;
  };
  try {
    const postgres = stoppable(await startPostgres(join(folder, 'database'), await freePort()));
    const redis = stoppable(await startRedis(folder, await freePort()));
    const [postgresProxy, redisProxy] = await Promise.all([postgres, redis].map(({ url }) => Proxy.to(url)));
    [postgresProxy, redisProxy].map(stoppable);
    const replicas = [];
    undo.push(() => Promise.all(replicas.map((replica) => replica.stop())));
    for (let i = 0; i < REPLICAS; i++) {
      const options = { folder: join(folder, `replica-${i}`), databaseUrl: postgresProxy.url };
      replicas.push(await Replica.start({ ...options, extraEnv: environment(redisProxy) }));
    }
    const keys = await createKeys(postgres.url);
    const isWhole = async () => {
      const ready = await Promise.all(replicas.map((replica) => replica.isReady()));
      return ready.every(Boolean);
    };
    return { replicas, keys, redis, redisProxy, postgres, postgresProxy, isWhole, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const environment = (redisProxy) => ({
  REDIS_URL: redisProxy.url,
  LOG_LEVEL: 'error',
  TRUST_PROXY: '1',
  ANONYMOUS_ADDRESSES: '10000',
  NODE_OPTIONS: `--import=${new URL('collect-garbage.mjs', import.meta.url)}`,
});

async function createKeys(databaseUrl) {
  const key = (name, perMinute) =>
    createKey({ node: process.execPath, databaseUrl }, { name, perMinute, perDay: MANY });
  return {
    ordinary: await key('ordinary', MANY),
    hasty: await key('hasty', LIMIT),
    steady: await key('steady', LIMIT),
    banned: await key('banned', 60),
  };
}
