import type { PoolClient } from 'pg';
import { type Batch, queryOf, tell } from './batch.js';

/** Each statement succeeds or fails by itself. @param end called when the last one has */
export function runEach(batch: Batch, client: PoolClient, end: () => void): void {
  const failures = new Map<string, Error>();
  let unanswered = batch.length;
  for (const waiting of batch) {
    const { name } = waiting.run;
    const query = queryOf(waiting.run, (error, result) => {
      unanswered -= 1;
      if (unanswered === 0) end();
      if (error && !failures.has(name)) failures.set(name, error);
      tell(waiting, isNotPrepared(error) ? failures.get(name) : error, result?.rows);
    });
    client.query(query);
  }
}

/** The one before it, with the same name, was to be prepared and could not: this one failed for the same reason. */
const isNotPrepared = (error?: Error & { code?: string }): boolean => error?.code === '26000'; // SQLSTATE
