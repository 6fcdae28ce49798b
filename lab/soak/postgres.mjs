import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import '../../dist/src/service.js'; // names the service
import { openEmbeddedPostgres } from '../../dist/src/platform/data/embedded-postgres/embedded-postgres.js';
import { findRunningServer } from '../../dist/src/platform/data/embedded-postgres/postmaster-pid.js';

const SETTINGS = { max_connections: '100' };

/** A PostgreSQL that can be frozen, killed and restarted. It commits as in production, because a 201 must survive. */
export async function startPostgres(folder, port) {
  const open = () =>
    openEmbeddedPostgres(folder, { lock: 'shared', settings: { ...SETTINGS, port: String(port) } });
  let server = await open();
  const signal = async (name) => {
    const pids = await processesOf(folder);
    for (const pid of pids) send(pid, name);
    return pids;
  };
  return {
    url: server.url,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    kill: async () => {
      const pids = await signal('SIGKILL');
      while (pids.some((pid) => send(pid, 0))) await sleep(20);
    },
    launch: async () => {
      server = await open();
    },
    stop: async () => {
      await signal('SIGCONT');
      await server.stop();
    },
  };
}

/** The postmaster comes first, because once frozen it starts no more processes. */
async function processesOf(folder) {
  const running = await findRunningServer(join(folder, 'postgres'));
  return running ? [running.pid, ...childrenOf(running.pid)] : [];
}

const childrenOf = (parent) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number);

function parentOf(pid) {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined; // it has ended in the meantime
  }
}

function send(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // it has ended
  }
}
