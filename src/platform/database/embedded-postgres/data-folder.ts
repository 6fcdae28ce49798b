import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { codeOf } from './embedded-postgres.error.js';
import { isRoot } from './server-user.js';

/** Absolute paths in the data folder. */
export interface DataFolder {
  path: string;
  /** PostgreSQL's own files (its "data directory"). */
  cluster: string;
  /** The file with the superuser's password. */
  credentials: string;
  log: string;
}

export function dataFolderAt(dataDir: string): DataFolder {
  const path = resolve(dataDir);
  return {
    path,
    cluster: join(path, 'postgres'),
    credentials: join(path, 'postgres.json'),
    log: join(path, 'postgres.log'),
  };
}

export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  const folder = dataFolderAt(dataDir);
  // If this process is root, the server runs as another user, who must enter the folder but need not list it.
  await mkdir(folder.path, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  return folder;
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
 * Creates a password unless the file contains one. It is created before the cluster, so that two concurrent creators
 * share it.
 */
export async function ensurePassword(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  const content = JSON.stringify({ password: randomBytes(24).toString('base64url') });
  await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, file); // unlike a rename, a link never replaces a password in use
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
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
