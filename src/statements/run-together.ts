import pg, { type PoolClient } from 'pg';
import { type Batch, type Done, queryOf, type Rows, tell } from './batch.js';
import { runEach } from './run-each.js';

/** SQLSTATE of a statement that has taken all the time it may. */
const TIMED_OUT = '57014';

/**
 * Runs the writes of several requests in one transaction: PostgreSQL waits once for the disk, and a creation costs a
 * fifth less. Where one of them fails, nothing of it has happened, and each runs again by itself; unless it ran into
 * the time limit, because nobody would wait that long for the others once more.
 * @param end called when the last one has succeeded or failed
 */
export function runTogether(batch: Batch, client: PoolClient, end: () => void): void {
  const rows: Rows[] = [];
  let failure: Failure;
  client.query(plain('BEGIN', () => undefined));
  for (const [i, { run }] of batch.entries()) {
    const query = queryOf(run, (error, result) => {
      failure ??= error;
      rows[i] = result?.rows ?? [];
    });
    client.query(query);
  }
  const commit = plain('COMMIT', (error, result) => {
    failure ??= error;
    if (wasUndone(error, result?.command) && failure?.code !== TIMED_OUT) {
      runEach(batch, client, end);
      return;
    }
    end();
    for (const [i, waiting] of batch.entries()) tell(waiting, failure, rows[i]);
  });
  client.query(commit);
}

type Failure = (Error & { code?: string }) | undefined;

const plain = (text: string, done: Done): pg.Query => new pg.Query(text, undefined, done);

/** PostgreSQL says ROLLBACK to the COMMIT of a transaction that has failed. A lost connection leaves that open. */
const wasUndone = (error: Error | undefined, command?: string): boolean =>
  command === 'ROLLBACK' || error instanceof pg.DatabaseError;
