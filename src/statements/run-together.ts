import pg, { type PoolClient } from 'pg';
import { type Batch, tell, type Waiting } from './batch.js';
import { Pipeline } from './pipeline.js';
import { runEach } from './run-each.js';

/** Which statements run again where one has failed and so nothing of the others has happened. */
export type Again = (batch: Batch, failed: Waiting | undefined, error: pg.DatabaseError) => Batch;

/** A read fails for reasons of its own. */
export const allButTheFailed: Again = (batch, failed) => batch.filter((waiting) => waiting !== failed);

/** A write may fail because of one before it. Nobody waits for a second time-out. */
export const allUnlessTimedOut: Again = (batch, _, { code }) => (code === TIMED_OUT ? [] : batch);

const TIMED_OUT = '57014'; // SQLSTATE

/**
 * Runs the statements of several requests in one transaction, which costs both sides a packet and PostgreSQL a wait
 * for the disk, in place of one for each. Where that fails, each runs again by itself.
 * @param end called when the last one has succeeded or failed
 */
export function runTogether(batch: Batch, client: PoolClient, again: Again, end: () => void): void {
  const pipeline = new Pipeline(
    batch.map(({ run }) => run),
    (error) => {
      const rest = batch.length > 1 && wasUndone(error) ? again(batch, batch[pipeline.at], error) : [];
      if (rest.length === 0) end();
      for (const [i, waiting] of batch.entries()) {
        const { error: own, rows } = pipeline.outcomes[i] ?? {};
        if (!rest.includes(waiting)) tell(waiting, error ?? own, rows);
      }
      if (rest.length > 0) runEach(rest, client, end);
    },
  );
  client.query(pipeline);
}

/** PostgreSQL has said that the transaction failed. A lost connection leaves that open. */
const wasUndone = (error: Error | null): error is pg.DatabaseError => error instanceof pg.DatabaseError;
