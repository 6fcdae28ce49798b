import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isRoot } from './server-user.js';

/** Absolute paths in the data folder. */
export interface DataFolder {
  path: string;
  /** PostgreSQL's own files (its "data directory"). */
  cluster: string;
  /** The password of the superuser. */
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
  // Under root the server runs as another user, who must enter the folder but need not list it.
  await mkdir(folder.path, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  return folder;
}
