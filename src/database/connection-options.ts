import pg from 'pg';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { seconds } from '../clock/duration.js';
import { int64FromDatabase } from '../json/int64.js';
import { WatchedPool } from './watched-pool.js';

const POOL_SIZE = 10;
/** For a free connection, or a new one. */
const CONNECT = seconds(1.2);
/** For a statement, with its wait for locks. Both together leave time to answer within 3 s. */
const STATEMENT = seconds(1.25);
const INT8_OID = pg.types.builtins.INT8;

/** How the service talks to PostgreSQL. Time-outs in milliseconds: a request never waits for a database that hangs. */
export function connectionOptions(url: string): PostgresDataSourceOptions {
  return {
    type: 'postgres',
    url,
    applicationName: 'petstore',
    poolSize: POOL_SIZE,
    connectTimeoutMS: CONNECT,
    driver: { Pool: WatchedPool },
    extra: {
      pipeline: true, // statements are sent without waiting for the one before (src/statements/)
      statement_timeout: STATEMENT,
      idle_in_transaction_session_timeout: seconds(5), // a process that froze holds no lock for longer
      types: { getTypeParser },
    },
  };
}

/** `bigint` columns arrive as exact 64-bit integers; `pg` alone would hand out strings. */
function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  return oid === INT8_OID ? int64FromDatabase : pg.types.getTypeParser(oid, format);
}
