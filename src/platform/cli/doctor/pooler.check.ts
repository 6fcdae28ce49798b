import pg from 'pg';
import type { DatabaseConfig } from '../../database/database.config.js';
import { seconds } from '../../clock/duration.js';
import { connectionOptions } from '../../database/pool/connection-options.js';
import { fail, type CheckResult, ok, reasonOf, warn } from './check-result.js';

type Settings = Pick<DatabaseConfig, 'directDatabaseUrl' | 'preparedStatements'>;

/** SQLSTATE invalid_sql_statement_name: the session does not have the prepared statement. */
const UNKNOWN_STATEMENT = '26000';

/** Connects with the time limits of the service, which a pooler such as PgBouncer may reject or ignore. */
export async function checkPooler(url: string, settings: Settings): Promise<CheckResult[]> {
  const { statement_timeout, idle_in_transaction_session_timeout } = connectionOptions(url).extra;
  const limits = { statement_timeout, idle_in_transaction_session_timeout };
  const [one, other] = [newClient(url, limits), newClient(url, limits)];
  try {
    await Promise.all([one.connect(), other.connect()]);
    return [...(await checkLimits(one, statement_timeout)), ...(await checkSessions(one, other, settings))];
  } catch (error) {
    const advice = `In PgBouncer: ignore_startup_parameters = ${Object.keys(limits).join(',')}`;
    return [fail('pooler limits', `connections with time limits fail: ${reasonOf(error)}`, advice)];
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

function newClient(url: string, limits: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'petstore doctor',
    connectionTimeoutMillis: seconds(2),
    query_timeout: seconds(2),
    ...limits,
  });
  client.on('error', () => undefined); // a lost connection fails the query
  return client;
}

async function checkLimits(client: pg.Client, expected: number): Promise<CheckResult[]> {
  const { rows } = await client.query<{ statement_timeout: string }>('SHOW statement_timeout');
  if (rows[0]?.statement_timeout !== '0') return [];
  const advice = `Set connect_query to 'SET statement_timeout = ${expected}' in the pooler, or the limit of the role.`;
  return [warn('pooler limits', 'statements have no time limit', advice)];
}

/** Detects transaction mode: a client gets another session while its previous one is in another client's transaction. */
async function checkSessions(one: pg.Client, other: pg.Client, settings: Settings): Promise<CheckResult[]> {
  const prepared = { name: 'petstore_doctor', text: 'SELECT pg_backend_pid() AS pid' };
  const before = await sessionOf(one, prepared);
  await other.query('BEGIN');
  await sessionOf(other, prepared.text); // gets the most recently used session
  if ((await sessionOf(one, prepared.text)) === before) return [];
  const results = [ok('pooler', 'a pooler such as PgBouncer, in transaction mode')];
  if (settings.directDatabaseUrl === undefined)
    results.push(
      fail(
        'pooler sessions',
        'notifications and migrations need a dedicated session',
        'Set DATABASE_DIRECT_URL to PostgreSQL itself.',
      ),
    );
  if (settings.preparedStatements && !(await keepsStatements(one, prepared)))
    results.push(
      fail(
        'pooler statements',
        'prepared statements do not work',
        'Set DATABASE_PREPARED_STATEMENTS to off, or use PgBouncer 1.21 with max_prepared_statements above 0.',
      ),
    );
  return results;
}

/** The process id of the session that executes a client's query. */
async function sessionOf(client: pg.Client, query: string | pg.QueryConfig): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>(query);
  return rows[0]?.pid;
}

/** Whether a statement works in a session that did not prepare it. */
const keepsStatements = (client: pg.Client, prepared: pg.QueryConfig): Promise<boolean> =>
  client.query(prepared).then(
    () => true,
    (error: unknown) => !(error instanceof pg.DatabaseError && error.code === UNKNOWN_STATEMENT),
  );
