import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { type EntityManager, QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { isStaleStatement } from '../database/database-unavailable.js';
import type { ClientConfig } from '../database/pool/service-client.js';
import { poolOf } from '../database/pool/service-pool.js';

/** A query that is made once and runs with values of each request. */
export interface PreparedQuery {
  /** With a name, PostgreSQL parses and plans it once for each connection. */
  readonly name?: string;
  readonly text: string;
  /** `array` for rows without names. */
  readonly rowMode?: 'array' | undefined;
}

/** A query with a name of its own. PostgreSQL truncates names after 63 bytes. */
export const named = (text: string, rowMode?: 'array'): PreparedQuery => ({
  name: hash('sha256', text, 'base64url'),
  text,
  rowMode,
});

export interface NamedStatement {
  readonly query: PreparedQuery;
  readonly values: readonly unknown[];
}

/**
 * Runs a statement in the transaction of the manager, or on a connection of its own.
 * @throws QueryFailedError
 */
export async function runNamed(
  manager: EntityManager,
  { query, values }: NamedStatement,
): Promise<QueryResult['rows']> {
  const { queryRunner } = manager;
  if (queryRunner?.isReleased) throw new QueryRunnerAlreadyReleasedError();
  const { extra } = manager.dataSource.options as { extra?: ClientConfig };
  const isNamed = query.name !== undefined && extra?.preparedStatements !== false;
  let free: PoolClient | undefined;
  try {
    const client = queryRunner
      ? ((await queryRunner.connect()) as PoolClient)
      : (free = await poolOf(manager.dataSource).connect());
    // `pg` copies the own properties of what it gets, which takes 1.4 µs; those that are inherited it only
    // reads.
    const send = (prepared: PreparedQuery) =>
      client.query<QueryResultRow>(Object.create(prepared) as PreparedQuery, values as unknown[]);
    const unnamed = () => send({ ...query, name: '' });
    if (!isNamed) return (await unnamed()).rows;
    // After a migration the columns may have other types. Outside a transaction the same text works without
    // its name.
    const { rows } = await send(query).catch((error: unknown) => {
      if (!isStaleStatement(error) || queryRunner?.isTransactionActive) throw error;
      return unnamed();
    });
    return rows;
  } catch (error) {
    throw error instanceof QueryFailedError
      ? error
      : new QueryFailedError(query.text, [...values], error as Error);
  } finally {
    free?.release();
  }
}

/**
 * By their texts: each is made once, as `runNamed` expects. The bound is for a module that makes a text for
 * each request.
 */
const queries = new LRUCache<string, PreparedQuery>({ max: 1_000, memoMethod: (text) => named(text) });

/**
 * Runs a module's own SQL, which PostgreSQL parses once for each connection, in the transaction of the
 * manager if there is one.
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
