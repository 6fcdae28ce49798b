import type { Config } from '../kernel/config/config.js';
import { StartupError } from '../kernel/errors/common.errors.js';
import { EmbeddedPostgresError, openEmbeddedPostgres } from '../../embedded-postgres/embedded-postgres.js';
import { inspectMigrations, migrate } from './migrations/migrate.js';

export interface Database {
  readonly url: string;
  /** Whether it is the embedded one, which comes with sample data and demo keys. */
  readonly embedded: boolean;
  close(): Promise<void>;
}

/** Gets a line for each step that takes time. */
type Tell = (step: string) => void;

/** The migrated database of the service: `DATABASE_URL`, or an embedded PostgreSQL of its own. @throws StartupError */
export function openDatabase(config: Config, tell?: Tell): Promise<Database> {
  if (config.databaseUrl === undefined) tell?.('Starting PostgreSQL…');
  return open(config, 'owner', tell);
}

/** The same for a command, which may run beside the service or without it. @throws StartupError */
export function joinDatabase(config: Config, tell?: Tell): Promise<Database> {
  return open(config, 'visitor', tell);
}

async function open(
  config: Config,
  as: 'owner' | 'visitor',
  tell: Tell = () => undefined,
): Promise<Database> {
  const migrateAll = (url: string) =>
    migrate(url, (pending) => {
      tell(`Applying ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'}…`);
    });
  if (config.databaseUrl !== undefined) {
    await (config.migrateAtStart ? migrateAll(config.databaseUrl) : expectMigrated(config.databaseUrl));
    return { url: config.databaseUrl, embedded: false, close: () => Promise.resolve() };
  }
  const server = await openEmbeddedPostgres(config.dataDir, { as }).catch(explain);
  const database = { url: server.url, embedded: true, close: () => server.stop() };
  await migrateAll(server.url).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  return database;
}

/** Somebody else migrates this database, with rights that the service itself may not have. */
async function expectMigrated(url: string): Promise<void> {
  const { pending } = await inspectMigrations(url);
  if (pending.length === 0) return;
  throw new StartupError(
    `The database lacks ${pending.join(', ')}, and MIGRATE_AT_START is false. Run: petstore migrate`,
  );
}

function explain(error: unknown): never {
  throw error instanceof EmbeddedPostgresError ? new StartupError(error.message, { cause: error }) : error;
}
