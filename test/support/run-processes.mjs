import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** All other processes that use the folder of a test run: workers, services, servers. Empty without /proc. */
export function processesOf(folder) {
  return pids().filter((pid) => pid !== process.pid && worksIn(pid, folder));
}

export const commandOf = (pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();

/** Ends them all. PostgreSQL gets a signal that lets it release its shared memory. */
export async function endProcessesOf(folder) {
  for (let left = processesOf(folder); left.length > 0; left = processesOf(folder)) {
    for (const pid of left) {
      send(pid, /\bpostgres\b/.test(commandOf(pid)) ? 'SIGQUIT' : 'SIGKILL');
      send(pid, 'SIGCONT'); // a test may have frozen it
    }
    await setTimeout(50);
  }
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended meanwhile
  }
}

function pids() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

const worksIn = (pid, folder) =>
  read(`/proc/${pid}/environ`).includes(`TMPDIR=${folder}\0`) ||
  `${link(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function link(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
