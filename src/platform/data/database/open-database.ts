import { Logger } from '@nestjs/common';
import { StartupError } from '../../kernel/config/startup-error.js';
import { EmbeddedPostgresError, openEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import type { DatabaseConfig } from './database.config.js';
import { inspectMigrations, migrate } from './migrations/migrate.js';
import { type Migration, requireMigrations } from './migrations/migration-state.js';

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
/**
 * Looks at the database before it is changed. What it throws ends the start.
 * @param directUrl of the session that would migrate
 */
type Check = (url: string, directUrl: string) => Promise<void>;

interface OpenOptions {
  /** Whether further processes may use the embedded PostgreSQL: the service need not run, but may. */
  readonly isShared?: boolean;
  /** `false` for a command: the database may be the wrong one, or serve an older version of the service. */
  readonly migrates?: boolean;
  readonly onStep?: OnStep;
  readonly check?: Check;
}

/**
 * Opens the database, `DATABASE_URL` or the embedded PostgreSQL, and migrates it or requires that all
 * migrations have run.
 * @throws StartupError
 */
export async function openDatabase(
  config: DatabaseConfig,
  migrations: readonly Migration[],
  onEnd: OnEnd,
  { isShared = false, migrates = true, onStep, check }: OpenOptions = {},
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
    await check?.(config.databaseUrl, direct);
    await (config.migrateAtStart && migrates ? migrateAll(direct) : requireMigrated(direct, migrations));
    return { url: config.databaseUrl, embedded: false };
  }
  if (!isShared) onStep?.('Starting PostgreSQL…');
  const lock = isShared ? 'shared' : 'exclusive';
  const opening = openEmbeddedPostgres(config.dataDir, { lock, report }).catch(rethrowAsStartupError);
  // A stop waits for a slow initdb, which would otherwise go on alone.
  onEnd(() =>
    opening.then(
      (server) => server.stop(),
      () => undefined,
    ),
  );
  const { url } = await opening;
  await check?.(url, url);
  await (migrates ? migrateAll(url) : requireMigrated(url, migrations));
  return { url, embedded: true };
}

/**
 * Opens the embedded PostgreSQL without running migrations. The service need not be running.
 * @throws StartupError
 */
export const openUnmigrated = (dataDir: string) =>
  openEmbeddedPostgres(dataDir, { lock: 'shared' }).catch(rethrowAsStartupError);

/** For a database user who may not change tables, and for commands. @throws StartupError */
async function requireMigrated(url: string, migrations: readonly Migration[]): Promise<void> {
  requireMigrations(await inspectMigrations(url, migrations));
}

function rethrowAsStartupError(error: unknown): never {
  throw error instanceof EmbeddedPostgresError ? new StartupError(error.message, { cause: error }) : error;
}
