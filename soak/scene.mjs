import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../bench/database.mjs';
import { createKey, freePort, startServer } from '../bench/servers.mjs';

const SERVERS = 4;
const MANY = 1_000_000_000;
export const LIMIT = 300;

/** Four processes of the service on one Redis and one PostgreSQL; `stop` ends and removes everything. */
export async function openScene() {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-soak-'));
  const undo = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const node = process.execPath;
    const { url: databaseUrl, remove } = await openDatabase(folder);
    undo.push(remove);
    const redis = await startRedis(folder);
    undo.push(redis.stop);
    const servers = [];
    undo.push(() => Promise.all(servers.map((server) => server.stop())));
    const extraEnv = {
      REDIS_URL: redis.url,
      LOG_LEVEL: 'error',
      TRUST_PROXY: '1',
      ANONYMOUS_ADDRESSES: '10000',
      NODE_OPTIONS: `--import=${new URL('collect-garbage.mjs', import.meta.url)}`,
    };
    for (let i = 0; i < SERVERS; i++) {
      servers.push(await startServer('ours', { node, folder, databaseUrl, extraEnv }));
    }
    const key = (name, perMinute) => createKey({ node, databaseUrl }, { name, perMinute, perDay: MANY });
    const keys = {
      ordinary: await key('ordinary', MANY),
      limited: await key('limited', LIMIT),
      banned: await key('banned', 60),
    };
    return { servers, keys, redis, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startRedis(folder) {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await Promise.race([ready(child), once(child, 'error').then(([error]) => Promise.reject(error))]);
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const ready = ({ stdout }) =>
  new Promise((resolve) => {
    stdout.on('data', (chunk) => String(chunk).includes('Ready to accept') && resolve());
  });
