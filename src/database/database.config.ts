import type { Variables } from '../kernel/config/variables.js';

const POSTGRES = ['postgres:', 'postgresql:'];

export class DatabaseConfig {
  /** Absent: an embedded PostgreSQL keeps its files in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Reads `DATABASE_URL_FILE` anew, whose password may have been rotated. Absent: the URL is not in a file. */
  readonly currentDatabaseUrl: (() => string | undefined) | undefined;
  /** Bypasses a connection pooler, for notifications and migrations, which need a session. Default: `databaseUrl`. */
  readonly directDatabaseUrl: string | undefined;
  readonly currentDirectDatabaseUrl: (() => string | undefined) | undefined;
  /** Whether a connection may keep prepared statements. A pooler may give each transaction another connection. */
  readonly preparedStatements: boolean;
  readonly dataDir: string;
  /** Whether the service runs pending migrations at start; otherwise `petstore migrate` has to. */
  readonly migrateAtStart: boolean;
  /** Whether to use the fast paths (docs/performance.md). They change no result. */
  readonly fastPaths: boolean;

  constructor(variables: Variables) {
    this.databaseUrl = variables.secretUrl('DATABASE_URL', POSTGRES);
    this.currentDatabaseUrl = reread(variables, 'DATABASE_URL');
    this.directDatabaseUrl = variables.secretUrl('DATABASE_DIRECT_URL', POSTGRES);
    this.currentDirectDatabaseUrl = reread(variables, 'DATABASE_DIRECT_URL');
    if (this.directDatabaseUrl !== undefined) variables.needs('DATABASE_DIRECT_URL', 'DATABASE_URL');
    this.preparedStatements = variables.flag('DATABASE_PREPARED_STATEMENTS', true);
    this.dataDir = variables.optional('PETSTORE_DATA_DIR') ?? '.petstore';
    this.migrateAtStart = variables.flag('MIGRATE_AT_START', true);
    this.fastPaths = variables.flag('FAST_PATHS', true);
  }
}

function reread(
  variables: Variables,
  name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL',
): (() => string | undefined) | undefined {
  if (variables.optional(`${name}_FILE`) === undefined) return undefined;
  return () => variables.afresh().secretUrl(name, POSTGRES);
}
