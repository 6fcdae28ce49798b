import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { EmbeddedPostgresError, toError } from './embedded-postgres.error.js';

/** The unprivileged user that runs the server if this process is root. */
export interface ServerUser {
  uid: number;
  gid: number;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The user that runs this cluster's server; undefined for the current user, unless that is root. */
export async function findServerUser(cluster: string): Promise<ServerUser | undefined> {
  if (!isRoot()) return undefined;
  const owner = await ownerOf(cluster);
  if (owner !== undefined && owner.uid !== 0) return owner;
  return findUnprivilegedAccount().catch((error: unknown) => {
    throw EmbeddedPostgresError.asRoot(toError(error));
  });
}

/** Whether the user may access the path and every folder above it. */
export async function canEnter(user: ServerUser, path: string): Promise<boolean> {
  const { mode, uid } = await stat(path);
  const enterable = (mode & 0o001) !== 0 || (uid === user.uid && (mode & 0o100) !== 0);
  if (!enterable) return false;
  return dirname(path) === path || canEnter(user, dirname(path));
}

async function ownerOf(path: string): Promise<ServerUser | undefined> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function findUnprivilegedAccount(): Promise<ServerUser> {
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const account = ['postgres', 'nobody']
    .map((name) => accounts.find((fields) => fields[0] === name))
    .find((fields) => fields !== undefined);
  if (account === undefined) throw new Error('/etc/passwd has neither the user postgres nor nobody');
  return { uid: Number(account[2]), gid: Number(account[3]) };
}
