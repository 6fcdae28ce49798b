import { warn } from '../../../kernel/config/check-result.js';
import { DatabaseConfig } from '../database.config.js';
import { connectionsOfAProcess } from '../pool/connection-options.js';
import type { DatabaseCheck } from './database-check.js';

interface Limits {
  readonly role: string;
  readonly database: string;
  /** Null without a limit, as for a superuser. */
  readonly ofRole: number | null;
  readonly ofDatabase: number | null;
  readonly ofServer: number;
}

const LIMITS = `
  SELECT quote_ident(rolname) AS role, quote_ident(datname) AS database,
    CASE WHEN NOT rolsuper AND rolconnlimit >= 0 THEN rolconnlimit END AS "ofRole",
    CASE WHEN NOT rolsuper AND datconnlimit >= 0 THEN datconnlimit END AS "ofDatabase",
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
      - coalesce(current_setting('reserved_connections', true)::integer, 0) AS "ofServer"
  FROM pg_roles, pg_database WHERE rolname = session_user AND datname = current_database()`;

/**
 * Fewer connections than a process opens under load: some of its requests would get 503. Behind a pooler, the
 * pooler's setting counts.
 */
export const checkConnectionLimit: DatabaseCheck = async ({ query, config }) => {
  const { databaseUrl, directDatabaseUrl, poolSize } = config.inspect(DatabaseConfig);
  const needed = connectionsOfAProcess({ poolSize });
  if (databaseUrl === undefined || directDatabaseUrl !== undefined) return [];
  const [limits] = (await query<Limits>(LIMITS)) as readonly [Limits];
  const { role, database, ofRole, ofDatabase, ofServer } = limits;
  const tooLow = (limit: number | null) => limit !== null && limit < needed;
  const lacks = (who: string, limit: number | null, remedy: string) =>
    warn(
      'connections',
      `${who} has ${limit} connections, and a process of the service opens up to ${needed}`,
      `Allow that many for each replica and worker: ${remedy}. Or lower DATABASE_POOL_SIZE.`,
    );
  return [
    ...(tooLow(ofRole) ? [lacks(`the role ${role}`, ofRole, `ALTER ROLE ${role} CONNECTION LIMIT -1`)] : []),
    ...(tooLow(ofDatabase)
      ? [lacks(`the database ${database}`, ofDatabase, `ALTER DATABASE ${database} CONNECTION LIMIT -1`)]
      : []),
    ...(tooLow(ofServer) ? [lacks('PostgreSQL', ofServer, 'raise max_connections')] : []),
  ];
};
