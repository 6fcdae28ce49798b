import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './embedded-postgres.error.js';

/** What `postmaster.pid` says about the server that runs in a cluster. */
export interface RunningServer {
  pid: number;
  port: number;
}

/** Undefined while no server runs, or none has a port yet. */
export async function findRunningServer(cluster: string): Promise<RunningServer | undefined> {
  const server = await readPidFile(cluster);
  const runs = server && isAlive(server.pid) && !(await runsElsewhere(server.pid, cluster));
  return runs ? server : undefined;
}

/**
 * After a crash of the machine the process id in the file may be that of any process. PostgreSQL refuses to start when it
 * is one of the same user. Should the file be a live server's after all, its shared memory block still keeps a second one
 * out.
 */
export async function removeForeignPidFile(cluster: string): Promise<void> {
  const server = await readPidFile(cluster);
  if (server && isAlive(server.pid) && (await runsElsewhere(server.pid, cluster))) {
    await rm(pidFileOf(cluster), { force: true });
  }
}

const pidFileOf = (cluster: string): string => join(cluster, 'postmaster.pid');

/** Lines 1 and 4 of the file, see `miscadmin.h` in PostgreSQL's sources. */
async function readPidFile(cluster: string): Promise<RunningServer | undefined> {
  try {
    const lines = (await readFile(pidFileOf(cluster), 'utf8')).split('\n');
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return pid > 0 && port > 0 ? { pid, port } : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A process that we may not signal is another user's, hence not the server: it runs under our own user or we are root. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A server's working directory is its cluster. Where that cannot be seen (no Linux), the id is believed. */
async function runsElsewhere(pid: number, cluster: string): Promise<boolean> {
  const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return workingDirectory !== undefined && workingDirectory !== (await realpath(cluster));
}
