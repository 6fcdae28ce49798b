import { access, constants, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { urlOf } from './connection.js';
import { dataFolderAt, readPassword } from './data-folder.js';
import { codeOf } from './embedded-postgres.error.js';
import { findRunningServer } from './postmaster-pid.js';
import { loadBinaries } from './server-programs.js';

export interface DataFolderState {
  /** Absolute. */
  readonly path: string;
  readonly exists: boolean;
  /** The PostgreSQL major version of its cluster, or undefined if there is no cluster. */
  readonly version: string | undefined;
  readonly running: { readonly port: number; readonly url: string } | undefined;
}

/**
 * Inspects a data folder without creating, starting or changing anything.
 * @throws EmbeddedPostgresError if no PostgreSQL is installed; Error if the folder cannot be used
 */
export async function inspectDataFolder(dataDir: string, database = 'petstore'): Promise<DataFolderState> {
  await loadBinaries();
  const { path, cluster, credentials } = dataFolderAt(dataDir);
  const none = { path, version: undefined, running: undefined };
  if (!(await isFolder(path))) {
    await checkCanBeMade(path);
    return { ...none, exists: false };
  }
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  if (!(await isFolder(cluster))) return { ...none, exists: true };
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  const password = await readPassword(credentials);
  const server = await findRunningServer(cluster);
  const running = server && { port: server.port, url: urlOf({ port: server.port, password }, database) };
  return { path, exists: true, version, running };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  throw new Error('it is not a folder');
}

/** The nearest existing parent folder must be writable. */
async function checkCanBeMade(path: string): Promise<void> {
  const above = dirname(path);
  if (await isFolder(above)) await access(above, constants.W_OK | constants.X_OK);
  else await checkCanBeMade(above);
}
