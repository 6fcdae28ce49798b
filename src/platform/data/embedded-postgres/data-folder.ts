import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCodeOf } from '../../kernel/errors/error-code.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { canEnter, type ServerUser } from './server-user.js';
import { service } from '../../kernel/config/service.js';

/**
 * Where the server's user finds what lies in a folder that only root may enter. It must not get there by a
 * capability, which would let every statement read every file of the machine.
 */
export const shelter = (): string => `/var/lib/${service().prefix}`;

/** Absolute paths in the data folder. */
export interface DataFolder {
  path: string;
  /** The folder of `cluster` and `log`: `path`, or one in the shelter. */
  home: string;
  /** PostgreSQL's own files (its "data directory"). */
  cluster: string;
  /** The file with the superuser's password. */
  credentials: string;
  log: string;
}

/** The cluster in the data folder, or the link to it. */
export const clusterIn = (dataDir: string): string => join(resolve(dataDir), 'postgres');

/**
 * Creates the folder if it is missing.
 * @param user runs the server if this process is root. A new cluster lies where this user can reach it
 * @throws EmbeddedPostgresError if the user cannot reach an existing cluster
 */
export async function openDataFolder(dataDir: string, user: ServerUser | undefined): Promise<DataFolder> {
  const path = resolve(dataDir);
  // The server's user must enter the folder but need not list it.
  await makeFolder(path, user === undefined ? 0o700 : 0o711);
  const home = (await linkedHome(path)) ?? (await reachableHome(path, user));
  return {
    path,
    home,
    cluster: join(home, 'postgres'),
    credentials: join(path, 'postgres.json'),
    log: join(home, 'postgres.log'),
  };
}

/** The `recursive` mkdir of Node.js says ENOENT for a read-only file system, and never ends in /proc. */
async function makeFolder(path: string, mode: number): Promise<void> {
  const made = (): Promise<unknown> =>
    mkdir(path, { mode }).catch(async (error: unknown) => {
      if (errorCodeOf(error) !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
    });
  try {
    await made();
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await made();
  }
}

/** Where the link in the data folder points to. The folder is made again if it has been deleted. */
async function linkedHome(path: string): Promise<string | undefined> {
  try {
    const home = dirname(resolve(path, await readlink(clusterIn(path))));
    await makeFolder(home, 0o711);
    return home;
  } catch (error) {
    if (['ENOENT', 'EINVAL'].includes(errorCodeOf(error))) return undefined; // no cluster yet, or no link
    throw error;
  }
}

async function reachableHome(path: string, user: ServerUser | undefined): Promise<string> {
  if (user === undefined) return path;
  const content = await readdir(path);
  if (content.length === 0) await chmod(path, 0o711);
  if (await canEnter(user, path)) return path;
  const home = join(shelter(), randomUUID());
  if (content.includes('postgres')) throw EmbeddedPostgresError.unreachable(path, home);
  await makeFolder(home, 0o711);
  try {
    await symlink(join(home, 'postgres'), clusterIn(path));
    return home;
  } catch (error) {
    await rm(home, { recursive: true });
    const other = errorCodeOf(error) === 'EEXIST' ? await linkedHome(path) : undefined; // a quicker process
    if (other === undefined) throw error;
    return other;
  }
}

/** Reads the superuser's password. Rejects if the file or the password is missing. */
export async function readPassword(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  try {
    const content: unknown = JSON.parse(text);
    if (hasPassword(content)) return content.password;
  } catch {
    // invalid JSON is reported below
  }
  throw new Error(`${file} contains no password`);
}

/**
 * Creates a password unless the file contains one. It is created before the cluster, so that two concurrent
 * creators share it.
 */
export async function ensurePassword(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  const content = JSON.stringify({ password: randomBytes(24).toString('base64url') });
  await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, file); // unlike a rename, a link never replaces a password in use
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft);
  }
  return readPassword(file);
}

function hasPassword(content: unknown): content is { password: string } {
  return (
    typeof content === 'object' &&
    content !== null &&
    'password' in content &&
    typeof content.password === 'string'
  );
}
