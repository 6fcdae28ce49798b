import pg, { type PoolClient } from 'pg';
import { endsConnection } from './ends-connection.js';
import { type Batch, rejectFailed, resolve } from './pending-statement.js';
import { PipelinedQuery } from './pipelined-query.js';
import { type Done, runEach } from './run-each.js';

/** What becomes of the other statements of a batch where one has failed. */
export interface RetryPolicy {
  /** How many before the failed one keep their rows. @param failed place of the failed one */
  readonly keep: (failed: number) => number;
  /** Which run again, each by itself. */
  readonly retry: (batch: Batch, failed: number, error: pg.DatabaseError) => Batch;
}

/** Rows that have been read stay read, and those behind the failed one were not tried. */
export const READS: RetryPolicy = {
  keep: (failed) => failed,
  retry: (batch, failed) => batch.slice(failed + 1),
};

/** Nothing was written, and one may have failed because of another. Nobody waits for a second time-out. */
export const WRITES: RetryPolicy = {
  keep: () => 0,
  retry: (batch, _, { code }) => (batch.length === 1 || code === QUERY_CANCELED ? [] : batch),
};

const QUERY_CANCELED = '57014'; // SQLSTATE

/**
 * Runs the statements of several requests in one transaction, which costs both sides one packet, and PostgreSQL one
 * wait for the disk, instead of one for each. Where it fails, those that can run again do so by themselves.
 */
export function runTogether(batch: Batch, client: PoolClient, policy: RetryPolicy, done: Done): void {
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

/** PostgreSQL has said so, and the connection lives. Whether a lost one was committed is not known. */
const wasRolledBack = (error: Error | null): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code !== undefined && !endsConnection(error);
