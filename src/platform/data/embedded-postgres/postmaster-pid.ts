import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from '../../kernel/errors/error-code.js';

/** A running server, as described by the cluster's `postmaster.pid`. */
export interface RunningServer {
  pid: number;
  port: number;
}

/** Undefined if no server is running, or it has no port yet. */
export async function findRunningServer(cluster: string): Promise<RunningServer | undefined> {
  const server = await readPidFile(cluster);
  const runs = server && isAlive(server.pid) && !(await runsElsewhere(server.pid, cluster));
  return runs ? server : undefined;
}

/**
 * After the machine crashed, the process id in the file may belong to another process. If that process has
 * the same user, PostgreSQL refuses to start. Removing the file is safe: if it did belong to a live server,
 * that server's shared memory block would still prevent a second one.
 */
export async function removeForeignPidFile(cluster: string): Promise<void> {
  const server = await readPidFile(cluster);
  if (server && isAlive(server.pid) && (await runsElsewhere(server.pid, cluster))) {
    await rm(pidFileOf(cluster), { force: true });
  }
}

const pidFileOf = (cluster: string): string => join(cluster, 'postmaster.pid');

/** Reads lines 1 and 4 of the file; see `miscadmin.h` in PostgreSQL's sources. */
async function readPidFile(cluster: string): Promise<RunningServer | undefined> {
  try {
    const lines = (await readFile(pidFileOf(cluster), 'utf8')).split('\n');
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return pid > 0 && port > 0 ? { pid, port } : undefined;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * A process that we may not signal belongs to another user, so it is not the server, which runs as our user
 * unless we are root.
 */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * A server's working directory is its cluster. If it cannot be read (on systems other than Linux), the
 * process id is trusted.
 */
async function runsElsewhere(pid: number, cluster: string): Promise<boolean> {
  const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return workingDirectory !== undefined && workingDirectory !== (await realpath(cluster));
}
