import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { named, type PreparedQuery, runNamed } from './run-named.js';

/** By their texts: each is made once, as `runNamed` expects. The bound is for a module that makes a text for each request. */
const queries = new LRUCache<string, PreparedQuery>({ max: 1_000, memoMethod: (text) => named(text) });

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
  return (await runNamed(manager, { query: queries.memo(text), values })) as Row[];
}
