import type { Pool, QueryResultRow } from 'pg';
import type { DataSource, ObjectLiteral, Repository } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { runningTransaction } from '../shared-transaction.js';
import { StatementBatches } from './statement-batches.js';
import type { Run } from './statement.js';

/** Reads rows, which may be shared with others: nobody may change them. In a transaction it is a part of that. */
export function read<Row extends QueryResultRow>(
  repository: Repository<Row>,
  run: Run,
): Promise<readonly Row[]> {
  return inTransaction<Row>(run) ?? batchesOf(repository).read(run);
}

/** Writes, and gives the rows that it returns. In a transaction it is a part of that. */
export function write<Row extends QueryResultRow>(
  repository: Repository<Row>,
  run: Run,
): Promise<readonly Row[]> {
  return inTransaction<Row>(run) ?? batchesOf(repository).write(run);
}

function inTransaction<Row>({ text, values }: Run): Promise<Row[]> | undefined {
  return runningTransaction()?.query(text, values) as Promise<Row[]> | undefined;
}

const known = new WeakMap<DataSource, StatementBatches>();

/** Over TypeORM's own connections: both share one limit. */
function batchesOf({ manager: { dataSource } }: Repository<ObjectLiteral>): StatementBatches {
  let batches = known.get(dataSource);
  if (!batches) {
    const pool = (dataSource.driver as PostgresDriver).master as Pool;
    known.set(dataSource, (batches = new StatementBatches(pool)));
  }
  return batches;
}
