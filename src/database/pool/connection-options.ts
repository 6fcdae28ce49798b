import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { SERVICE } from '../../kernel/service.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { DatabaseConfig } from '../database.config.js';
import { int64FromDatabase } from '../../kernel/json/int64.js';

/** Time to get a free or new connection. */
const CONNECT_TIMEOUT = seconds(1.2);
/** Time for a statement, including waits for locks. Both together leave time to respond within 3 s. */
const STATEMENT_TIMEOUT = seconds(1.25);
const INT8_OID = pg.types.builtins.INT8;

/**
 * The connection options of the service and commands. Timeouts are in milliseconds.
 * @param settings say whether the URL may change, and whether there is a pooler
 */
export function connectionOptions(url: string, settings: Partial<DatabaseConfig> = {}) {
  const { currentDatabaseUrl, directDatabaseUrl, currentDirectDatabaseUrl, preparedStatements } = settings;
  return {
    type: 'postgres',
    url,
    applicationName: SERVICE.prefix,
    connectTimeoutMS: CONNECT_TIMEOUT,
    extra: {
      statement_timeout: STATEMENT_TIMEOUT,
      keepAlive: true, // detects dead connections of streams, which have no timeout
      idle_in_transaction_session_timeout: seconds(5), // releases the locks of a frozen process
      types: { getTypeParser },
      currentUrl: currentDatabaseUrl,
      preparedStatements,
      direct:
        directDatabaseUrl === undefined
          ? { connectionString: url, currentUrl: currentDatabaseUrl }
          : { connectionString: directDatabaseUrl, currentUrl: currentDirectDatabaseUrl },
    },
  } satisfies PostgresDataSourceOptions;
}

/** Parses `bigint` columns as exact 64-bit integers; `pg` returns strings by default. */
function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  return oid === INT8_OID ? int64FromDatabase : pg.types.getTypeParser(oid, format);
}

/** The options for a connection outside the pool, with a session of its own on the same server. */
export const dedicatedConnection = ({ options }: DataSource) =>
  (options as ReturnType<typeof connectionOptions>).extra.direct;
