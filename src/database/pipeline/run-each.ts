import type { PoolClient } from 'pg';
import { type Batch, type End, tell } from './batch.js';
import { Pipeline } from './pipeline.js';

/** Each statement succeeds or fails by itself. @param end called when the last one has */
export function runEach(batch: Batch, client: PoolClient, end: End): void {
  const failures = new Map<string, Error>();
  let unanswered = batch.length;
  for (const waiting of batch) {
    const { name } = waiting.run;
    const pipeline = new Pipeline([waiting.run], (error) => {
      unanswered -= 1;
      if (unanswered === 0) end(error);
      if (error && !failures.has(name)) failures.set(name, error);
      const failure = isNotPrepared(error) ? failures.get(name) : error;
      tell(waiting, failure ?? pipeline.outcomes[0]?.error, pipeline.outcomes[0]?.rows);
    });
    client.query(pipeline);
  }
}

/** The one before it, with the same name, was to be prepared and could not: this one failed for the same reason. */
const isNotPrepared = (error: (Error & { code?: string }) | null): boolean => error?.code === '26000'; // SQLSTATE
