import { randomUUID } from 'node:crypto';
import { seconds, withTimeout } from '../../kernel/clock/duration.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import { withConnection } from './connect-once.js';
import { isStaleStatement } from './database-unavailable.js';
import type { PostgresClient } from './pool/postgres-client.js';

/** PostgreSQL itself answers at once; a pooler with one connection lets the second client wait. */
const ANSWER_TIMEOUT = seconds(2);

/** What to do about a pooler that changes sessions. */
export const NAME_DIRECTLY = 'Set DATABASE_DIRECT_URL to the address of PostgreSQL itself';

/**
 * Migrations take a lock of the session, which would stay with a connection of the pooler.
 * @throws StartupError
 */
export async function requireSession(url: string): Promise<void> {
  if (await changesSessions(url)) throw needsSession();
}

export const needsSession = (): StartupError =>
  new StartupError(
    `Migrations need a session of their own, and a pooler in front of PostgreSQL gives each transaction another one. ${NAME_DIRECTLY}.`,
  );

/** Whether two statements of one connection may run in two sessions. */
export const changesSessions = (url: string): Promise<boolean> =>
  withTwoClients(url, async (first, second) => {
    const session = async () =>
      (await first.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0];
    for (let i = 0; i < 2; i++) {
      const before = await session();
      await second.query('BEGIN'); // keeps its session busy, so that the first one may get another
      const after = await withTimeout(session(), ANSWER_TIMEOUT, () => undefined);
      await second.query('COMMIT');
      if (before?.pid !== after?.pid) return true;
    }
    return false;
  });

/**
 * Runs a prepared statement as the service does, on two connections. A pooler that gives a transaction any
 * session of PostgreSQL does not find it there, or finds that of another connection.
 * @throws StartupError
 */
export async function tryPreparedStatements(url: string): Promise<void> {
  const statement = { name: `check ${randomUUID()}`, text: 'SELECT 1' };
  await withTwoClients(url, async (first, second) => {
    try {
      await first.query(statement);
      await second.query(statement);
      await second.query('BEGIN');
      await first.query(statement);
      await second.query(statement);
    } catch (error) {
      if (!isStaleStatement(error)) throw error;
      throw new StartupError(
        `A pooler in front of PostgreSQL mixes prepared statements up: ${(error as Error).message}.` +
          ' Set DATABASE_PREPARED_STATEMENTS=off, or use PgBouncer 1.21 or newer with max_prepared_statements above 0.',
        { cause: error },
      );
    }
  });
}

const withTwoClients = <T>(
  url: string,
  work: (first: PostgresClient, second: PostgresClient) => Promise<T>,
): Promise<T> => withConnection(url, (first) => withConnection(url, (second) => work(first, second)));
