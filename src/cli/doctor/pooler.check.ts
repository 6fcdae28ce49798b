import pg from 'pg';
import type { DatabaseConfig } from '../../database/database.config.js';
import { seconds } from '../../kernel/clock/duration.js';
import { connectionOptions } from '../../database/pool/connection-options.js';
import { fail, type CheckResult, ok, reasonOf, warn } from './check-result.js';

type Settings = Pick<DatabaseConfig, 'directDatabaseUrl' | 'preparedStatements'>;

/** SQLSTATE of a prepared statement that the session does not have. */
const UNKNOWN_STATEMENT = '26000';
/** Other clients of a busy pooler may take a session between two of ours. */
const CLIENTS = 4;

/** A connection pooler in between, such as PgBouncer; nothing without one. */
export async function checkPooler(url: string, settings: Settings): Promise<CheckResult[]> {
  if (!(await reusesSessions(url))) return [];
  return withClients(url, async (one, other) => {
    const mode = (await sharesSessions(one, other)) ? 'transaction' : 'session';
    const found = ok('pooler', `a pooler such as PgBouncer, in ${mode} mode`);
    const results = [found, ...(await checkStartup(url))];
    if (mode === 'session') return results;
    return [...results, ...checkDirect(settings), ...(await checkPrepared(one, other, settings))];
  });
}

/** PostgreSQL starts a process for each client. A pooler gives a client the session of an earlier one. */
async function reusesSessions(url: string): Promise<boolean> {
  const seen = new Set<number | undefined>();
  for (let count = 1; count <= CLIENTS; count++) {
    const client = newClient({ connectionString: url });
    try {
      await client.connect();
      seen.add(await sessionOf(client));
    } finally {
      await client.end().catch(() => undefined);
    }
    if (seen.size < count) return true;
  }
  return false;
}

async function withClients<T>(
  url: string,
  work: (one: pg.Client, other: pg.Client) => Promise<T>,
): Promise<T> {
  const [one, other] = [newClient({ connectionString: url }), newClient({ connectionString: url })];
  try {
    await one.connect();
    await other.connect();
    return await work(one, other);
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

function newClient(options: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    application_name: 'petstore doctor',
    connectionTimeoutMillis: seconds(2),
    query_timeout: seconds(2),
    ...options,
  });
  client.on('error', () => undefined); // a lost connection fails the query
  return client;
}

/** The process of PostgreSQL that serves a client now. */
async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}

/** Whether a client changes its session while another one is in a transaction. */
async function sharesSessions(one: pg.Client, other: pg.Client): Promise<boolean> {
  const before = await sessionOf(one);
  return whileBusy(other, async () => (await sessionOf(one)) !== before);
}

/** A transaction takes the session that was used last. */
async function whileBusy<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await sessionOf(client);
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Connects as the service does, with its time limits. */
async function checkStartup(url: string): Promise<CheckResult[]> {
  const { statement_timeout, idle_in_transaction_session_timeout } = connectionOptions(url).extra;
  const limits = { statement_timeout, idle_in_transaction_session_timeout };
  const client = newClient({ connectionString: url, ...limits });
  try {
    await client.connect();
    const { rows } = await client.query<{ statement_timeout: string }>('SHOW statement_timeout');
    if (rows[0]?.statement_timeout !== '0') return [];
    const advice = `Set connect_query to 'SET statement_timeout = ${statement_timeout}' in the pooler, or the limit of the role.`;
    return [warn('pooler limits', 'statements have no time limit', advice)];
  } catch (error) {
    const advice = `In PgBouncer: ignore_startup_parameters = ${Object.keys(limits).join(',')}`;
    return [fail('pooler limits', `it refuses the service: ${reasonOf(error)}`, advice)];
  } finally {
    await client.end().catch(() => undefined);
  }
}

function checkDirect({ directDatabaseUrl }: Settings): CheckResult[] {
  if (directDatabaseUrl !== undefined) return [];
  const advice = 'Set DATABASE_DIRECT_URL to PostgreSQL itself.';
  return [fail('pooler sessions', 'notifications and migrations need a session of their own', advice)];
}

async function checkPrepared(
  one: pg.Client,
  other: pg.Client,
  { preparedStatements }: Settings,
): Promise<CheckResult[]> {
  if (!preparedStatements) return [];
  const prepared = { name: 'petstore_doctor', text: 'SELECT 1' };
  await one.query(prepared);
  const isKnown = await whileBusy(other, () =>
    one.query(prepared).then(
      () => true,
      (error: unknown) => !(error instanceof pg.DatabaseError && error.code === UNKNOWN_STATEMENT),
    ),
  );
  if (isKnown) return [];
  const advice =
    'Set DATABASE_PREPARED_STATEMENTS to off, or use PgBouncer 1.21 with max_prepared_statements above 0.';
  return [fail('pooler statements', 'it does not keep prepared statements', advice)];
}
