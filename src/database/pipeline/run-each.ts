import type { PoolClient } from 'pg';
import { type Batch, rejectFailed, resolve } from './pending-statement.js';
import { PipelinedQuery } from './pipelined-query.js';

/** Called when the last statement has been settled. @param error of that statement, where it failed */
export type Done = (error: Error | null) => void;

/** Runs one statement after the other: each succeeds or fails by itself. */
export function runEach([first, ...others]: Batch, client: PoolClient, done: Done): void {
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
