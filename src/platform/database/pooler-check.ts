import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { seconds } from '../clock/duration.js';
import { StartupError } from '../config/startup-error.js';
import { isStaleStatement, rethrowAsNoConnection } from './database-unavailable.js';

const CONNECT_TIMEOUT = seconds(5);

/**
 * Runs a prepared statement as the service does, on two connections. A pooler that gives a transaction any session of PostgreSQL
 * does not find it there, or finds that of another connection.
 * @throws StartupError
 */
export async function tryPreparedStatements(url: string): Promise<void> {
  const clients = [1, 2].map(
    () => new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT }),
  );
  const [first, second] = clients as [pg.Client, pg.Client];
  const statement = { name: `doctor ${randomUUID()}`, text: 'SELECT 1' };
  for (const client of clients) client.on('error', () => undefined); // a lost connection fails the query
  try {
    await Promise.all(clients.map((client) => client.connect().catch(rethrowAsNoConnection)));
    await first.query(statement);
    await second.query(statement);
    await second.query('BEGIN'); // keeps its session busy, so that the first one may get another
    await first.query(statement);
    await second.query(statement);
  } catch (error) {
    if (!isStaleStatement(error)) throw error;
    throw new StartupError(
      `A pooler in front of PostgreSQL mixes prepared statements up: ${(error as Error).message}.` +
        ' Set DATABASE_PREPARED_STATEMENTS=off, or use PgBouncer 1.21 or newer with max_prepared_statements above 0.',
      { cause: error },
    );
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
