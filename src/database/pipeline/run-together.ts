import pg, { type PoolClient } from 'pg';
import { type Batch, type End, tell } from './batch.js';
import { endsConnection } from './ends-connection.js';
import { Pipeline } from './pipeline.js';
import { runEach } from './run-each.js';

/** What holds for the others where one statement of a batch has failed. */
export interface Kind {
  /** How many before the failed one keep what they got. @param at place of the failed one */
  readonly keep: (at: number) => number;
  /** Which run again, each by itself. */
  readonly again: (batch: Batch, at: number, error: pg.DatabaseError) => Batch;
}

/** Rows that have been read have been read, and those behind the failed one were not tried. */
export const READS: Kind = {
  keep: (at) => at,
  again: (batch, at) => batch.slice(at + 1),
};

/** Nothing has happened, and one may have failed because of another. Nobody waits for a second time-out. */
export const WRITES: Kind = {
  keep: () => 0,
  again: (batch, _, { code }) => (batch.length === 1 || code === TIMED_OUT ? [] : batch),
};

const TIMED_OUT = '57014'; // SQLSTATE

/**
 * Runs the statements of several requests in one transaction, which costs both sides one packet, and PostgreSQL one
 * wait for the disk, in place of one for each. Where it fails, those that can run again do so by themselves.
 * @param end called when the last one has succeeded or failed
 */
export function runTogether(batch: Batch, client: PoolClient, kind: Kind, end: End): void {
  const runs = batch.map(({ run }) => run);
  const pipeline = new Pipeline(runs, (error) => {
    const { at, outcomes } = pipeline;
    const again = wasUndone(error) ? kind.again(batch, at, error) : [];
    if (again.length === 0) end(error);
    for (const [i, waiting] of batch.entries()) {
      if (again.includes(waiting)) continue;
      const failure = i < kind.keep(at) ? null : error;
      tell(waiting, failure ?? outcomes[i]?.error, outcomes[i]?.rows);
    }
    if (again.length > 0) runEach(again, client, end);
  });
  client.query(pipeline);
}

/** PostgreSQL has said so, and the connection lives. Whether a lost one was committed is not known. */
const wasUndone = (error: Error | null): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code !== undefined && !endsConnection(error);
