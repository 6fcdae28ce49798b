import { type Address, urlOf } from './connection.js';
import { dataFolderAt, readPassword } from './data-folder.js';
import { findRunningServer } from './postmaster-pid.js';

/** The server of a data folder, if it runs. Creates, starts and changes nothing. @throws Error if the folder cannot be read */
export async function runningServer(
  dataDir: string,
  database = 'petstore',
): Promise<(Pick<Address, 'port'> & { readonly url: string }) | undefined> {
  const { cluster, credentials } = dataFolderAt(dataDir);
  const server = await findRunningServer(cluster);
  if (!server) return undefined;
  const { port } = server;
  return { port, url: urlOf({ port, password: await readPassword(credentials) }, database) };
}
