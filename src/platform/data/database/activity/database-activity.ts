import { isNativeError } from 'node:util/types';
import { seconds } from '../../../kernel/clock/duration.js';
import type { PostgresClient } from '../pool/postgres-client.js';

/** SQLSTATE `lock_not_available`. */
const LOCKED = '55P03';
/** How long the sizes of tables wait for somebody who has locked one exclusively. */
const SIZES_TIMEOUT = seconds(1);

/** A transaction that is open in this database. What another role does is null without `pg_monitor`. */
export interface OpenTransaction {
  readonly pid: number;
  readonly user: string | null;
  readonly application: string;
  readonly state: string | null;
  /** How long it has been open. */
  readonly seconds: number | null;
  /** Those that must end before it goes on. 0 stands for a prepared transaction. */
  readonly waitsFor: readonly number[];
  /** How many wait for it. */
  readonly blocks: number;
  /** Tables that it has locked, but for reading. */
  readonly locks: readonly string[];
}

/** Connections of one user and application, to any database of the server. */
export interface Connections {
  readonly user: string;
  readonly application: string;
  readonly database: string | null;
  readonly all: number;
  readonly active: number;
  readonly idleInTransaction: number;
}

/** A table of the service's schema. Numbers of rows are PostgreSQL's estimates. */
export interface TableState {
  readonly table: string;
  /** With indexes. Null while somebody has locked a table exclusively. */
  readonly bytes: number | null;
  readonly rows: number;
  /** Old versions of rows, which every scan reads until a vacuum removes them. */
  readonly deadRows: number;
  /** By hand or automatic; null if never. */
  readonly lastVacuum: Date | null;
}

/** Who uses PostgreSQL, without the texts of queries, which contain data. */
export interface DatabaseActivity {
  /** Those that others wait for come first, then the oldest. */
  readonly transactions: readonly OpenTransaction[];
  readonly maxConnections: number;
  readonly connections: readonly Connections[];
  /** The largest numbers of dead rows first. */
  readonly tables: readonly TableState[];
  /** The command that shows what other roles do. Null if everything is shown. */
  readonly grant: string | null;
}

/** A transaction holds the lock of its virtual id: it is seen without `pg_monitor`, too. */
const TRANSACTIONS = `
  WITH session AS MATERIALIZED (
    SELECT pid, usename AS "user", coalesce(application_name, '') AS application, state,
      extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds, pg_blocking_pids(pid) AS "waitsFor"
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND EXISTS (SELECT FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid AND locktype = 'virtualxid')
  ), counted AS (
    SELECT *, (SELECT count(*)::integer FROM session AS other WHERE session.pid = ANY (other."waitsFor")) AS blocks FROM session
  )
  SELECT *,
    ARRAY(SELECT relname || ' ' || mode FROM pg_locks JOIN pg_class ON pg_class.oid = relation
          WHERE pg_locks.pid = counted.pid AND granted AND mode <> 'AccessShareLock' AND relkind IN ('r', 'p')
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND relnamespace <> 'pg_catalog'::regnamespace
          ORDER BY relname, mode)::text[] AS locks
  FROM counted
  ORDER BY blocks > 0 AND "waitsFor" = '{}' DESC, blocks DESC, seconds DESC NULLS LAST, pid`;

/** A hidden session has no `backend_type`. */
const CONNECTIONS = `
  SELECT coalesce(usename, '') AS "user", coalesce(application_name, '') AS application, datname AS database,
    count(*)::integer AS "all",
    (count(*) FILTER (WHERE state = 'active'))::integer AS active,
    (count(*) FILTER (WHERE state LIKE 'idle in transaction%'))::integer AS "idleInTransaction"
  FROM pg_stat_activity
  WHERE usesysid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend' AND pid <> pg_backend_pid()
  GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3`;

const TABLES = `
  SELECT relid::text AS id, relname AS table, n_live_tup::float8 AS rows, n_dead_tup::float8 AS "deadRows",
    greatest(last_vacuum, last_autovacuum) AS "lastVacuum"
  FROM pg_stat_user_tables WHERE schemaname = current_schema() ORDER BY n_dead_tup DESC, relname`;

const SIZES = `
  SELECT relid::text AS id, pg_total_relation_size(relid)::float8 AS bytes
  FROM pg_stat_user_tables WHERE schemaname = current_schema()`;

const SERVER = `
  SELECT current_setting('max_connections')::integer AS "maxConnections",
    CASE WHEN NOT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
      THEN 'GRANT pg_monitor TO ' || quote_ident(current_user) END AS grant`;

type Server = Pick<DatabaseActivity, 'maxConnections' | 'grant'>;

/** Asks what is visible to the role. Waits for no lock longer than a second. */
export async function databaseActivity(client: PostgresClient): Promise<DatabaseActivity> {
  const query = async <Row extends object>(sql: string) => (await client.query<Row>(sql)).rows;
  const [server] = (await query<Server>(SERVER)) as [Server];
  const transactions = await query<OpenTransaction>(TRANSACTIONS);
  const connections = await query<Connections>(CONNECTIONS);
  const tables = await query<Omit<TableState, 'bytes'> & { id: string }>(TABLES);
  await query(`SET lock_timeout = ${SIZES_TIMEOUT}`);
  const sizes = await query<{ id: string; bytes: number | null }>(SIZES).catch(noneIfLocked);
  const sizeOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  return {
    transactions,
    connections,
    tables: tables.map(({ id, table, ...rest }) => ({ table, bytes: sizeOf.get(id) ?? null, ...rest })),
    ...server,
  };
}

function noneIfLocked(error: unknown): [] {
  if (isNativeError(error) && 'code' in error && error.code === LOCKED) return [];
  throw error;
}
