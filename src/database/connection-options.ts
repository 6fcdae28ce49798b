import pg from 'pg';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { seconds } from '../clock/duration.js';
import { int64FromDatabase } from '../json/int64.js';
import { WatchedClient } from './watched-client.js';

const POOL_SIZE = 10;
const INT8_OID = pg.types.builtins.INT8;

/** How the service talks to PostgreSQL. Time-outs in milliseconds: a request never waits for a database that hangs. */
export function connectionOptions(url: string): PostgresDataSourceOptions {
  return {
    type: 'postgres',
    url,
    applicationName: 'petstore',
    poolSize: POOL_SIZE,
    connectTimeoutMS: seconds(2),
    extra: {
      statement_timeout: seconds(2),
      idle_in_transaction_session_timeout: seconds(5), // a process that froze holds no lock for longer
      Client: WatchedClient,
      types: { getTypeParser },
    },
  };
}

/** `bigint` columns arrive as exact 64-bit integers; `pg` alone would hand out strings. */
function getTypeParser(...[oid, format]: Parameters<typeof pg.types.getTypeParser>): unknown {
  return oid === INT8_OID ? int64FromDatabase : pg.types.getTypeParser(oid, format);
}
