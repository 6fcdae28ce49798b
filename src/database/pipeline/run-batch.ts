import pg, { type PoolClient } from 'pg';
import { type Batch, rejectFailed, resolve } from './statement.js';
import { PipelinedQuery } from './pipelined-query.js';

/**
 * SQLSTATE of errors after which PostgreSQL closes the connection (shutdown, failure, idle in transaction), or after which it
 * is of no use: the server is read-only.
 */
const CLOSING = /^(57P|08|25P0[34]|25006)/;

/** Whether a connection ends with an error. `pg` notices later that PostgreSQL has closed it. */
export const endsConnection = (error: Error | null): boolean =>
  error instanceof pg.DatabaseError && CLOSING.test(error.code ?? '');

/** How the other statements of a batch settle when one has failed. */
export interface RetryPolicy {
  /** How many statements keep their rows. @param failed index of the failed one */
  readonly keep: (failed: number) => number;
  /** The statements that run again, each by itself. */
  readonly retry: (batch: Batch, failed: number, error: pg.DatabaseError) => Batch;
}

/** Reads before the failed one keep their rows; those after it did not run. */
export const READS: RetryPolicy = {
  keep: (failed) => failed,
  retry: (batch, failed) => batch.slice(failed + 1),
};

/** Nothing was written, and a statement may have failed because of another. After a timeout none runs again. */
export const WRITES: RetryPolicy = {
  keep: () => 0,
  retry: (batch, _, { code }) => (batch.length === 1 || code === QUERY_CANCELED ? [] : batch),
};

const QUERY_CANCELED = '57014'; // SQLSTATE

/** Runs the statements of several requests in one transaction: one packet each way, and one wait for the disk. */
export function runBatch(batch: Batch, client: PoolClient, policy: RetryPolicy, done: Done): void {
  const query = new PipelinedQuery(
    batch.map(({ statement }) => statement),
    (error) => {
      const retried = wasRolledBack(error) ? policy.retry(batch, query.current, error) : [];
      const kept = error ? policy.keep(query.current) : batch.length;
      if (retried.length === 0) done(error);
      for (const [i, pending] of batch.entries()) {
        if (i < kept) resolve(pending, query.rowsOf(i));
        else if (error && !retried.includes(pending)) rejectFailed(pending, error);
      }
      if (retried.length > 0) runEach(retried, client, done);
    },
  );
  client.query(query);
}

/** PostgreSQL has reported the error on an open connection. After a lost connection the commit is uncertain. */
const wasRolledBack = (error: Error | null): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code !== undefined && !endsConnection(error);

/** Called when the last statement has settled. @param error of that statement */
type Done = (error: Error | null) => void;

/** Runs one statement after the other; each succeeds or fails by itself. */
function runEach([first, ...others]: Batch, client: PoolClient, done: Done): void {
  if (!first) {
    done(null);
    return;
  }
  const query = new PipelinedQuery([first.statement], (error) => {
    if (others.length === 0) done(error);
    if (error) rejectFailed(first, error);
    else resolve(first, query.rowsOf(0));
    if (others.length > 0) runEach(others, client, done);
  });
  client.query(query);
}
