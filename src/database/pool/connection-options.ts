import pg from 'pg';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { seconds } from '../../kernel/clock/duration.js';
import { int64FromDatabase } from '../../kernel/json/int64.js';

/** For a free connection, or a new one. */
const CONNECT_TIMEOUT = seconds(1.2);
/** For a statement, with its wait for locks. Both together leave time to answer within 3 s. */
const STATEMENT_TIMEOUT = seconds(1.25);
const INT8_OID = pg.types.builtins.INT8;

/** How service and commands connect to PostgreSQL. Time-outs are in milliseconds. */
export function connectionOptions(url: string) {
  return {
    type: 'postgres',
    url,
    applicationName: 'petstore',
    connectTimeoutMS: CONNECT_TIMEOUT,
    extra: {
      statement_timeout: STATEMENT_TIMEOUT,
      idle_in_transaction_session_timeout: seconds(5), // a process that froze holds no lock for longer
      types: { getTypeParser },
    },
  } satisfies PostgresDataSourceOptions;
}

/** `bigint` columns arrive as exact 64-bit integers; `pg` alone would return strings. */
function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  return oid === INT8_OID ? int64FromDatabase : pg.types.getTypeParser(oid, format);
}
