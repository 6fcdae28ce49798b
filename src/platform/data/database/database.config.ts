import type { Variables } from '../../kernel/config/variables.js';
import { prefixed, service } from '../../kernel/config/service.js';

/** Connections that the requests of a process share, without `DATABASE_POOL_SIZE`. */
export const DEFAULT_POOL_SIZE = 10;

const POSTGRES = ['postgres:', 'postgresql:'];

export class DatabaseConfig {
  /** If absent, an embedded PostgreSQL runs in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /**
   * Reads `DATABASE_URL_FILE` again, because its password may have been rotated. Absent without such a file.
   */
  readonly currentDatabaseUrl: (() => string | undefined) | undefined;
  /**
   * Bypasses a connection pooler for notifications and migrations, which need a session. By default
   * `databaseUrl`.
   */
  readonly directDatabaseUrl: string | undefined;
  readonly currentDirectDatabaseUrl: (() => string | undefined) | undefined;
  /**
   * Whether connections may keep prepared statements. Some poolers assign a different session to each
   * transaction.
   */
  readonly preparedStatements: boolean;
  /** How many connections the requests and the background work of a process share. */
  readonly poolSize: number;
  readonly dataDir: string;
  /** Whether the service runs pending migrations at start. If not, run `petstore migrate`. */
  readonly migrateAtStart: boolean;

  constructor(variables: Variables) {
    this.databaseUrl = postgresUrl(variables, 'DATABASE_URL');
    this.currentDatabaseUrl = reread(variables, 'DATABASE_URL');
    this.directDatabaseUrl = postgresUrl(variables, 'DATABASE_DIRECT_URL');
    this.currentDirectDatabaseUrl = reread(variables, 'DATABASE_DIRECT_URL');
    if (this.directDatabaseUrl !== undefined) variables.needs('DATABASE_DIRECT_URL', 'DATABASE_URL');
    this.preparedStatements = variables.flag('DATABASE_PREPARED_STATEMENTS', true);
    // With 4, half of the half that a client with an Idempotency-Key gets is one.
    this.poolSize = variables.wholeNumber('DATABASE_POOL_SIZE', {
      min: 4,
      max: 1_000,
      fallback: DEFAULT_POOL_SIZE,
    });
    this.dataDir = variables.optional(prefixed('DATA_DIR')) ?? `.${service().prefix}`;
    this.migrateAtStart = variables.flag('MIGRATE_AT_START', true);
  }
}

type Name = 'DATABASE_URL' | 'DATABASE_DIRECT_URL';

/**
 * `pg` checks the certificate for these values of `sslmode` too, and warns at each start that a later version
 * will not.
 */
const CHECKED = /(?<=[?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/;

/**
 * How Prisma, JDBC and others spell it. PostgreSQL and `pg` ignore them, and the tables would be in another
 * schema than the URL says.
 */
const SCHEMA = ['schema', 'search_path', 'searchPath', 'currentSchema'];

function postgresUrl(variables: Variables, name: Name): string | undefined {
  const url = variables.secretUrl(name, POSTGRES);
  const ignored = url === undefined ? undefined : SCHEMA.find((key) => new URL(url).searchParams.has(key));
  if (ignored !== undefined) {
    variables.refuse(
      name,
      `must name a schema as ?options=-c%20search_path%3DNAME: PostgreSQL knows no ${ignored}`,
    );
    return;
  }
  if (url !== undefined && new URL(url).searchParams.has('application_name')) {
    variables.refuse(
      name,
      `must not have an application_name: by its own, ${service().program} migrate --revert knows that the service is connected`,
    );
    return;
  }
  return url?.includes('uselibpqcompat=') ? url : url?.replace(CHECKED, 'verify-full');
}

function reread(variables: Variables, name: Name): (() => string | undefined) | undefined {
  if (variables.optional(`${name}_FILE`) === undefined) return undefined;
  return () => postgresUrl(variables.afresh(), name);
}
