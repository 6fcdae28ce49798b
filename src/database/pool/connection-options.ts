import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { SERVICE } from '../../kernel/service.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { ClientConfig } from './service-client.js';
import { int64FromDatabase } from '../../kernel/json/int64.js';

/** Time to get a free or new connection. */
const CONNECT_TIMEOUT = seconds(1.2);
/** Time for a statement, including waits for locks. Both together leave time to respond within 3 s. */
const STATEMENT_TIMEOUT = seconds(1.25);
const INT8_OID = pg.types.builtins.INT8;

/** Options for a URL that may change, and for a connection pooler. */
export interface PoolerOptions {
  /** Returns the URL for each new connection, if it may change. */
  readonly currentUrl?: ClientConfig['currentUrl'];
  /** The server behind the pooler. */
  readonly direct?: { readonly url: string; readonly currentUrl?: ClientConfig['currentUrl'] };
  readonly preparedStatements?: boolean;
}

/** The connection options of the service and commands. Timeouts are in milliseconds. */
export function connectionOptions(url: string, pooler: PoolerOptions = {}) {
  const { currentUrl, direct, preparedStatements } = pooler;
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
      currentUrl,
      direct,
      preparedStatements,
    },
  } satisfies PostgresDataSourceOptions;
}

/** Parses `bigint` columns as exact 64-bit integers; `pg` returns strings by default. */
function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  return oid === INT8_OID ? int64FromDatabase : pg.types.getTypeParser(oid, format);
}

/** The options for a connection outside the pool, with a session of its own on the same server. */
export function dedicatedConnection({
  options,
}: DataSource): Pick<ClientConfig, 'currentUrl'> & { readonly connectionString: string } {
  const { url, extra } = options as ReturnType<typeof connectionOptions>;
  const { direct, currentUrl } = extra;
  return direct
    ? { connectionString: direct.url, currentUrl: direct.currentUrl }
    : { connectionString: url, currentUrl };
}
