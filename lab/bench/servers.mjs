import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

const counters = fileURLToPath(new URL('counters.mjs', import.meta.url));

/** Like `npm start`, with its flags of Node.js. */
async function startScript(folder) {
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return scripts.start.split(' ').slice(1);
}

/**
 * A server waits while others are warmed up and measured. After 8 s, V8 would take that for idleness, shrink the heap and throw away
 * compiled code, so that the next two seconds would cost up to twice as much: for the server that has waited longest.
 */
const KEEPS_WARM = '--no-memory-reducer';

const commands = {
  ours: await startScript(root),
  fastify: ['lab/bench/peers/fastify.mjs'],
  'express-drizzle': ['lab/bench/peers/express-drizzle.mjs'],
  'plain-nest': ['lab/bench/peers/plain-nest.mjs'],
  'stock-nest': ['lab/bench/peers/stock-nest.mjs'],
};

export const serverNames = Object.keys(commands);

/** @throws Error if one of these servers is compared with ours and the packages of lab/package.json are not installed */
export function requirePackages(names) {
  const installed = new URL('../node_modules/.package-lock.json', import.meta.url); // npm writes it last
  if (names.some((name) => !['ours', 'against'].includes(name)) && !existsSync(installed))
    throw new Error(
      'The servers to compare with need packages of their own: run "npm ci --prefix lab" first',
    );
}

/**
 * Starts one server with its output in a file of `folder`. Resolves when its port, a free one, accepts connections.
 * @param against the folder of another version of the service, for the server of that name
 * @param counts whether it can count what its requests cost (counters.mjs)
 */
export async function startServer(
  name,
  { node, folder, databaseUrl, apiKey, signal, extraEnv, port, against, counts = false },
) {
  const listensOn = port ?? (await freePort());
  const logFile = join(folder, `${name}.log`);
  const log = await open(logFile, 'w');
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(listensOn),
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'info',
    BENCH_API_KEY: apiKey,
    ...extraEnv,
  };
  const stdio = ['ignore', log.fd, log.fd, ...(counts ? ['ipc'] : [])];
  const args = [
    KEEPS_WARM,
    ...(counts ? ['--import', counters] : []),
    ...(commands[name] ?? (await startScript(against))),
  ];
  const child = spawn(node, args, { cwd: name === 'against' ? against : root, env, stdio });
  await once(child, 'spawn').finally(() => log.close());
  const server = {
    name,
    pid: child.pid,
    origin: `http://127.0.0.1:${listensOn}`,
    beginCount: () => child.send('begin'),
    /** @returns the bytes allocated and the passes of the event loop since `beginCount()` */
    async endCount() {
      const counted = once(child, 'message', { signal });
      child.send('end');
      return (await counted)[0];
    },
    stop: () => stop(child),
    kill: () => stop(child, 'SIGKILL'),
    lastWords: async () => (await readFile(logFile, 'utf8')).split('\n').slice(-20).join('\n'),
  };
  try {
    while (!(await accepts(listensOn))) {
      if (hasEnded(child)) throw new Error(`${name} ended:\n${await server.lastWords()}`);
      await sleep(50, undefined, { signal });
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Creates a key with the service's own CLI. Returns its secret. */
export async function createKey({ node, databaseUrl }, { name, perMinute, perDay }) {
  const args = ['keys', 'create', '--plan', 'enterprise', '--name', name, '--json'];
  args.push('--per-minute', String(perMinute), '--per-day', String(perDay));
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const petstore = (...args) => promisify(execFile)(node, ['bin/petstore.js', ...args], { cwd: root, env });
  await petstore('migrate');
  const { stdout } = await petstore(...args);
  return JSON.parse(stdout).key;
}

const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

async function stop(child, signal = 'SIGTERM') {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5000);
  await ended;
  clearTimeout(impatience);
}

/**
 * A TCP port of 127.0.0.1 that nothing listens on, below the range of outgoing connections. Otherwise, an outgoing
 * connection could take the port, or one to the port could connect to itself.
 */
export async function freePort() {
  const server = createServer().listen(randomInt(10_000, 32_000), '127.0.0.1');
  const port = await once(server, 'listening').then(
    () => server.address().port,
    () => undefined,
  );
  await new Promise((resolve) => server.close(resolve));
  return port ?? freePort();
}

async function accepts(port) {
  const socket = connect(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
