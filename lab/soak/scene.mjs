import { join } from 'node:path';
import { createKey, freePort } from '../bench/servers.mjs';
import { startPostgres } from './postgres.mjs';
import { Proxy } from './proxy.mjs';
import { startRedis } from './redis.mjs';
import { Replica } from './replica.mjs';

const REPLICAS = 4;
const MANY = 1_000_000_000;
export const LIMIT = 300;

/** Four replicas on one Redis and one PostgreSQL, each store behind a proxy. */
export async function openScene({ folder, undo }) {
  const stoppable = (one) => {
    undo(() => one.stop());
    return one;
  };
  const postgres = stoppable(await startPostgres(join(folder, 'database'), await freePort()));
  const redis = stoppable(await startRedis(folder, await freePort()));
  const [postgresProxy, redisProxy] = await Promise.all([postgres, redis].map(({ url }) => Proxy.to(url)));
  [postgresProxy, redisProxy].map(stoppable);
  const replicas = [];
  undo(() => Promise.all(replicas.map((replica) => replica.stop())));
  for (let i = 0; i < REPLICAS; i++) {
    const options = { folder: join(folder, `replica-${i}`), databaseUrl: postgresProxy.url };
    replicas.push(await Replica.start({ ...options, extraEnv: environment(redisProxy) }));
  }
  const keys = await createKeys(postgres.url);
  const isWhole = async () => {
    const ready = await Promise.all(replicas.map((replica) => replica.isReady()));
    return ready.every(Boolean);
  };
  return { replicas, keys, redis, redisProxy, postgres, postgresProxy, isWhole };
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
