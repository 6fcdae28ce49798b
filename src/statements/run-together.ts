import pg, { type PoolClient } from 'pg';
import { type Batch, type Done, queryOf, tell } from './batch.js';
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
  const outcomes: Parameters<Done>[] = [];
  client.query(plain('BEGIN', ignore));
  for (const [i, { run }] of batch.entries()) {
    client.query(queryOf(run, (...outcome) => (outcomes[i] = outcome)));
  }
  const commit = plain('COMMIT', (error, result) => {
    const failure = outcomes.find(([failed]) => failed)?.[0] ?? error;
    if (error instanceof pg.DatabaseError) client.query(plain('ROLLBACK', ignore)); // it may be open still
    if (wasUndone(error, result?.command) && codeOf(failure) !== TIMED_OUT) {
      runEach(batch, client, end);
      return;
    }
    end();
    for (const [i, waiting] of batch.entries()) {
      const [own, done] = outcomes[i] ?? [];
      // Where it was committed, whatever failed failed alone: in `pg`, or because not even BEGIN had been heard.
      tell(waiting, result?.command === 'COMMIT' ? own : failure, done?.rows);
    }
  });
  client.query(commit);
}

const ignore = (): void => undefined;

const codeOf = (error: (Error & { code?: string }) | undefined): string | undefined => error?.code;

const plain = (text: string, done: Done): pg.Query => new pg.Query(text, undefined, done);

/** PostgreSQL says ROLLBACK to the COMMIT of a transaction that has failed. A lost connection leaves that open. */
const wasUndone = (error: Error | undefined, command?: string): boolean =>
  command === 'ROLLBACK' || error instanceof pg.DatabaseError;
