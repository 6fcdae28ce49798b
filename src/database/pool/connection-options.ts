import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { SERVICE } from '../../kernel/service.js';
import { seconds } from '../../kernel/clock/duration.js';
import type { ClientConfig } from './service-client.js';
import { int64FromDatabase } from '../../kernel/json/int64.js';

/** For a free or a new connection. */
const CONNECT_TIMEOUT = seconds(1.2);
/** For a statement, with its wait for locks. Both together leave time to respond within 3 s. */
const STATEMENT_TIMEOUT = seconds(1.25);
const INT8_OID = pg.types.builtins.INT8;

/** How connections differ where the URL may change or a pooler is in between. */
export interface PoolerOptions {
  /** For each new connection, where the URL may change. */
  readonly currentUrl?: ClientConfig['currentUrl'];
  /** Past a pooler. */
  readonly direct?: { readonly url: string; readonly currentUrl?: ClientConfig['currentUrl'] };
  readonly preparedStatements?: boolean;
}

/** The connection options of service and commands. Timeouts are in milliseconds. */
export function connectionOptions(url: string, pooler: PoolerOptions = {}) {
  const { currentUrl, direct, preparedStatements } = pooler;
  return {
    type: 'postgres',
    url,
    applicationName: SERVICE.prefix,
    connectTimeoutMS: CONNECT_TIMEOUT,
    extra: {
      statement_timeout: STATEMENT_TIMEOUT,
      keepAlive: true, // for a stream, which has no timeout
      idle_in_transaction_session_timeout: seconds(5), // bounds the locks of a frozen process
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

/** How a connection beside the pool is made, to the same server and with a session of its own. */
export function dedicatedConnection({
  options,
}: DataSource): Pick<ClientConfig, 'currentUrl'> & { readonly connectionString: string } {
  const { url, extra } = options as ReturnType<typeof connectionOptions>;
  const { direct, currentUrl } = extra;
  return direct
    ? { connectionString: direct.url, currentUrl: direct.currentUrl }
    : { connectionString: url, currentUrl };
}
