import { hash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { runNamed } from './run-named.js';

/**
 * Runs a module's own SQL, which PostgreSQL parses once for each connection, in the transaction of the manager if there is one.
 * @param text one of few: each has a plan on each connection. What varies belongs into `values`
 * @returns the rows; a `bigint` is an `Int64`
 * @throws QueryFailedError
 */
export async function queryPrepared<Row extends object>(
  manager: EntityManager,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const name = hash('sha256', text, 'base64url'); // PostgreSQL truncates names after 63 bytes
  return (await runNamed(manager, { query: { name, text }, values })) as Row[];
}
