import pg from 'pg';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { seconds } from '../kernel/clock/duration.js';
import { int64FromDatabase } from '../kernel/json/int64.js';

/** For a free connection, or a new one. */
const CONNECT = seconds(1.2);
/** For a statement, with its wait for locks. Both together leave time to answer within 3 s. */
const STATEMENT = seconds(1.25);
const INT8_OID = pg.types.builtins.INT8;

/** How service and commands talk to PostgreSQL. Time-outs in milliseconds: nobody waits for a database that hangs. */
export function connectionOptions(url: string) {
  return {
    type: 'postgres',
    url,
    applicationName: 'petstore',
    connectTimeoutMS: CONNECT,
    extra: {
      statement_timeout: STATEMENT,
      idle_in_transaction_session_timeout: seconds(5), // a process that froze holds no lock for longer
      types: { getTypeParser },
    },
  } satisfies PostgresDataSourceOptions;
}

/** `bigint` columns arrive as exact 64-bit integers; `pg` alone would hand out strings. */
function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  return oid === INT8_OID ? int64FromDatabase : pg.types.getTypeParser(oid, format);
}
