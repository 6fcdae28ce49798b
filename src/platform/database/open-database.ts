import { Logger } from '@nestjs/common';
import { StartupError } from '../config/startup-error.js';
import { EmbeddedPostgresError, openEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import type { DatabaseConfig } from './database.config.js';
import { inspectMigrations, migrate } from './migrations/migrate.js';
import type { Migration } from './migrations/migration-state.js';

export interface Database {
  readonly url: string;
  /** Whether it is the embedded PostgreSQL, which gets sample data and demo keys. */
  readonly embedded: boolean;
}

const report = (event: string): void => {
  new Logger('Database').warn(event);
};

/** Registers the function that closes the database. Called before the database is open. */
type OnEnd = (close: () => Promise<void>) => void;
/** Called before each slow step. */
type OnStep = (step: string) => void;
/** Looks at the database before it is changed. What it throws ends the start. */
type Check = (url: string) => Promise<void>;

/**
 * Opens and migrates the database of the service: `DATABASE_URL` or the embedded PostgreSQL.
 * @throws StartupError
 */
export function openDatabase(
  config: DatabaseConfig,
  migrations: readonly Migration[],
  onEnd: OnEnd,
  onStep?: OnStep,
  check?: Check,
): Promise<Database> {
  if (config.databaseUrl === undefined) onStep?.('Starting PostgreSQL…');
  return open(config, migrations, 'exclusive', onEnd, { onStep, check });
}

/**
 * Opens and migrates the database for a further process. The service need not be running.
 * @throws StartupError
 */
export function joinDatabase(
  config: DatabaseConfig,
  migrations: readonly Migration[],
  onEnd: OnEnd,
  onStep?: OnStep,
  check?: Check,
): Promise<Database> {
  return open(config, migrations, 'shared', onEnd, { onStep, check });
}

/**
 * Opens the database for a command, which never migrates it: it may be the wrong one, or serve an older
 * version of the service.
 * @throws StartupError
 */
export function openForCommand(
  config: DatabaseConfig,
  migrations: readonly Migration[],
  onEnd: OnEnd,
): Promise<Database> {
  return open(config, migrations, 'shared', onEnd, { isCommand: true });
}

/**
 * Opens the embedded PostgreSQL without running migrations. The service need not be running.
 * @throws StartupError
 */
export const openUnmigrated = (dataDir: string) =>
  openEmbeddedPostgres(dataDir, { lock: 'shared' }).catch(rethrowAsStartupError);

interface OpenOptions {
  readonly onStep?: OnStep | undefined;
  readonly check?: Check | undefined;
  readonly isCommand?: boolean;
}

async function open(
  config: DatabaseConfig,
  migrations: readonly Migration[],
  lock: 'exclusive' | 'shared',
  onEnd: OnEnd,
  { onStep, check, isCommand = false }: OpenOptions,
): Promise<Database> {
  const migrateAll = (url: string) =>
    migrate(
      url,
      migrations,
      (pending) => {
        onStep?.(`Applying ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'}…`);
      },
      onStep,
    );
  if (config.databaseUrl !== undefined) {
    const direct = config.directDatabaseUrl ?? config.databaseUrl;
    await check?.(direct);
    await (config.migrateAtStart && !isCommand ? migrateAll(direct) : requireMigrated(direct, migrations));
    return { url: config.databaseUrl, embedded: false };
  }
  const opening = openEmbeddedPostgres(config.dataDir, { lock, report }).catch(rethrowAsStartupError);
  // A stop waits for a slow initdb, which would otherwise go on alone.
  onEnd(() =>
    opening.then(
      (server) => server.stop(),
      () => undefined,
    ),
  );
  const { url } = await opening;
  await check?.(url);
  await (isCommand ? requireMigrated(url, migrations) : migrateAll(url));
  return { url, embedded: true };
}

/** For a database user who may not change tables, and for commands. @throws StartupError */
async function requireMigrated(url: string, migrations: readonly Migration[]): Promise<void> {
  const { applied, pending } = await inspectMigrations(url, migrations);
  if (pending.length === 0) return;
  const lack =
    applied.length === 0
      ? 'The database has no tables of the service. Check that it is the right one'
      : `The database lacks ${pending.join(', ')}`;
  throw new StartupError(`${lack}. Start the service with MIGRATE_AT_START=on, or run: petstore migrate`);
}

function rethrowAsStartupError(error: unknown): never {
  throw error instanceof EmbeddedPostgresError ? new StartupError(error.message, { cause: error }) : error;
}
