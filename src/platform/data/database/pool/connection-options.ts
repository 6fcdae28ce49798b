import type { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { service } from '../../../kernel/config/service.js';
import { seconds } from '../../../kernel/clock/duration.js';
import type { DatabaseConfig } from '../database.config.js';
import { NOTICE_LOST_SERVER, watchClient } from './lost-connections.js';
import { PostgresClient } from './postgres-client.js';

/** Two are not of the pool: the one that hears of changes of keys, and the one of readiness. */
export const connectionsOfAProcess = ({ poolSize }: Pick<DatabaseConfig, 'poolSize'>): number => poolSize + 2;
/** Time to get a free or new connection. */
const CONNECT_TIMEOUT = seconds(3);
/**
 * PostgreSQL's limit, which counts the whole life of a stream, pauses of its reader included. Queries end
 * sooner, by the client.
 */
export const STATEMENT_TIMEOUT = seconds(30);
/**
 * The connection options of the service and commands. Timeouts are in milliseconds.
 * @param settings say whether the URL may change, and whether there is a pooler
 */
export function connectionOptions(url: string, settings: Partial<DatabaseConfig> = {}) {
  const { currentDatabaseUrl, directDatabaseUrl, currentDirectDatabaseUrl, preparedStatements } = settings;
  return {
    type: 'postgres',
    url,
    applicationName: service().prefix,
    connectTimeoutMS: CONNECT_TIMEOUT,
    uuidExtension: 'pgcrypto', // gen_random_uuid() for generated columns, which is part of PostgreSQL itself
    installExtensions: false, // only migrations change the database
    extra: {
      Client: PostgresClient,
      // What it sets would reach other clients of a pooler, which notices lost clients itself.
      onConnect: directDatabaseUrl === undefined ? watchClient : undefined,
      statement_timeout: STATEMENT_TIMEOUT,
      ...NOTICE_LOST_SERVER, // for streams, which have no timeout
      idle_in_transaction_session_timeout: seconds(30), // releases the locks of a frozen process
      currentUrl: currentDatabaseUrl,
      preparedStatements,
      direct:
        directDatabaseUrl === undefined
          ? { connectionString: url, currentUrl: currentDatabaseUrl }
          : { connectionString: directDatabaseUrl, currentUrl: currentDirectDatabaseUrl },
    },
  } satisfies PostgresDataSourceOptions;
}

/** The options for a connection outside the pool, with a session of its own on the same server. */
export const dedicatedConnection = ({ options }: DataSource) =>
  (options as ReturnType<typeof connectionOptions>).extra.direct;
