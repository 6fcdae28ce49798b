import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { type EntityManager, QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { isStaleStatement } from '../database/database-unavailable.js';
import type { ClientConfig } from '../database/pool/service-client.js';
import { poolOf } from '../database/pool/service-pool.js';

/** A statement that PostgreSQL parses and plans once for each connection, if it has a name. */
export interface NamedStatement {
  /** Absent if PostgreSQL parses it each time. */
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs a statement in the transaction of the manager, or on a connection of its own. @throws QueryFailedError */
export async function runNamed(
  manager: EntityManager,
  { name, text, values }: NamedStatement,
  options: { readonly rowMode?: 'array' },
): Promise<QueryResult['rows']> {
  const { queryRunner } = manager;
  if (queryRunner?.isReleased) throw new QueryRunnerAlreadyReleasedError();
  const { extra } = manager.dataSource.options as { extra?: ClientConfig };
  const isNamed = name !== undefined && extra?.preparedStatements !== false;
  let free: PoolClient | undefined;
  try {
    const client = queryRunner
      ? ((await queryRunner.connect()) as PoolClient)
      : (free = await poolOf(manager.dataSource).connect());
    const send = (named: object) =>
      client.query<QueryResultRow>({ ...named, ...options, text, values: [...values] });
    // After a migration the columns may have other types. Outside a transaction the same text works without its name.
    const { rows } = await send(isNamed ? { name } : {}).catch((error: unknown) => {
      if (!isStaleStatement(error) || queryRunner?.isTransactionActive) throw error;
      return send({});
    });
    return rows;
  } catch (error) {
    throw error instanceof QueryFailedError ? error : new QueryFailedError(text, [...values], error as Error);
  } finally {
    free?.release();
  }
}
