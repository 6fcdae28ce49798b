import type { Pool } from 'pg';
import {
  type DataSource,
  type EntityManager,
  type EntityMetadata,
  type ObjectLiteral,
  type QueryRunner,
  Repository,
} from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { memoize } from '../../kernel/memoize.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { runningTransaction } from '../transactions/ambient-transaction.js';
import { isPlainEntity, isSubscribed } from './plain-entity.js';
import { PlainTable, type StatementRunner } from './plain-table.js';
import { bind, isStale } from './statement.js';
import { StatementBatches } from './statement-batches.js';
import { TableStatements } from './table-statements.js';

const enabled = new WeakSet<DataSource>();

/** Enables `viaFastPath` for a data source. */
export function enableFastPath(dataSource: DataSource): void {
  enabled.add(dataSource);
}

/**
 * Runs a statement of a plain entity: in the transaction of the repository, or else in one batch with those of other requests.
 * Results and errors are those of the repository; where that is not certain, the repository runs. A list takes 93 µs of CPU
 * instead of 439 (docs/performance.md).
 *
 * @param fast returns undefined for what it does not support
 */
export async function viaFastPath<E extends { id: Int64 }, T>(
  repository: Repository<E>,
  fast: (table: PlainTable<E>) => Promise<T> | undefined,
  standard: () => Promise<T>,
): Promise<T> {
  const table = tableOf(repository);
  const result = table && fast(table);
  if (!result) return standard();
  try {
    return await result;
  } catch (error) {
    if (isStale(error)) return standard();
    throw error;
  }
}

function tableOf<E extends { id: Int64 }>(repository: Repository<E>): PlainTable<E> | undefined {
  const { manager } = repository as Partial<Repository<E>>; // a test may use a fake repository
  const dataSource = manager?.dataSource;
  if (!dataSource || !enabled.has(dataSource)) return undefined;
  if (isExtended(repository) || isObserved(dataSource)) return undefined;
  const { metadata } = repository;
  if (dataSource.subscribers.some((subscriber) => isSubscribed(subscriber, metadata))) return undefined;
  const statements = tableStatements(metadata);
  if (!statements) return undefined;
  const queries = repository.queryRunner ?? manager.queryRunner;
  if (queries ?? runningTransaction(dataSource))
    return new PlainTable(statements, joined(queries ?? manager));
  return new PlainTable(statements, batched(dataSource));
}

/** Whether a custom repository or a test has overridden a method that the fast path replaces. */
function isExtended(repository: Repository<ObjectLiteral>): boolean {
  return REPLACED.some((method) => repository[method] !== Repository.prototype[method]);
}

/** The methods that the fast path replaces. */
const REPLACED = ['create', 'find', 'findOne', 'findOneBy', 'save', 'update'] as const;

const tableStatements = memoize((entity: EntityMetadata) =>
  isPlainEntity(entity) ? new TableStatements(entity) : undefined,
);

/** On the pool of TypeORM, so that both share one limit. */
const batched = memoize(({ driver }: DataSource): StatementRunner => {
  const batches = new StatementBatches((driver as PostgresDriver).master as Pool);
  return {
    isTransaction: false,
    read: (statement, values) => batches.read(bind(statement, values)),
    write: (statement, values) => batches.write(bind(statement, values)),
  };
});

/** On a connection of TypeORM, with what others do on it. */
function joined(queries: QueryRunner | EntityManager): StatementRunner {
  const run: StatementRunner['read'] = async ({ text }, values) => {
    const rows = (await queries.query(text, [...values])) as Record<string, unknown>[];
    return { parsers: [], rows: rows.map((row) => Object.values(row)) };
  };
  const isTransaction = 'isTransactionActive' in queries && queries.isTransactionActive;
  return { isTransaction, read: run, write: run };
}

/** Whether something looks at each statement. */
const isObserved = ({ options, subscribers }: DataSource): boolean =>
  [options.logging, options.logger, options.maxQueryExecutionTime].some(Boolean) ||
  subscribers.some((subscriber) => 'beforeQuery' in subscriber || 'afterQuery' in subscriber);
