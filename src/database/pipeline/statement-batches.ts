import pg, { type Pool, type PoolClient } from 'pg';
import { isQueryTimeout } from '../pool/service-client.js';
import { PipelinedQuery } from './pipelined-query.js';
import {
  type Batch,
  bind,
  type BoundStatement,
  isSame,
  type PendingStatement,
  type RawRows,
  reject,
  rejectFailed,
  resolve,
  statement,
} from './statement.js';

/** Statements that one connection runs one after the other. */
const MAX_BATCH = 32;
const QUERY_CANCELED = '57014'; // SQLSTATE

/**
 * SQLSTATE of errors after which PostgreSQL closes the connection: shutdown, failure, idle in transaction. `pg` notices later that
 * it has.
 */
const CLOSING = /^(57P|08|25P0[34])/;

/** Writes that share a transaction do not wait long for a lock: a write that has to wait runs alone. */
const SHORT_LOCK_TIMEOUT = bind(statement(`SELECT set_config('lock_timeout', '50ms', true)`), []);

type Way = 'read' | 'write';

/**
 * Runs the statements of one turn of the event loop in one packet, outside transactions: one packet each way, and one wait for the
 * disk. Each succeeds or fails by itself: where one fails, those that have not happened run again, each alone. None may
 * begin or end a transaction.
 */
export class StatementBatches {
  private reads: PendingStatement[] = [];
  private writes: PendingStatement[] = [];

  constructor(private readonly pool: Pool) {}

  /** Identical statements in one batch run once and share the rows. */
  read(statement: BoundStatement): Promise<RawRows> {
    return new Promise((resolve, reject) => {
      const same = this.reads.find((pending) => isSame(pending.statement, statement));
      if (same) same.waiters.push({ resolve, reject });
      else this.add(this.reads, { statement, waiters: [{ resolve, reject }] });
    });
  }

  write(statement: BoundStatement): Promise<RawRows> {
    return new Promise((resolve, reject) => {
      this.add(this.writes, { statement, waiters: [{ resolve, reject }] });
    });
  }

  private add(list: PendingStatement[], pending: PendingStatement): void {
    if (this.reads.length + this.writes.length === 0) setImmediate(this.send);
    list.push(pending);
  }

  private readonly send = (): void => {
    const { reads, writes } = this;
    this.reads = [];
    this.writes = [];
    for (const batch of chunks(reads)) this.run(batch, 'read');
    for (const batch of chunks(writes)) this.run(batch, 'write');
  };

  private run(batch: Batch, way: Way): void {
    this.pool.connect((error, client, release) => {
      if (!client) {
        for (const pending of batch) reject(pending, error ?? new Error('The pool gave no connection'));
        return;
      }
      client.on('error', ignore); // the statements are rejected with it
      const before = way === 'write' && batch.length > 1 ? [SHORT_LOCK_TIMEOUT] : [];
      const statements = [...before, ...batch.map((pending) => pending.statement)];
      const query = new PipelinedQuery(statements, (thrown) => {
        const failure = thrown ?? transactionLeftOpen(client);
        client.off('error', ignore);
        release(endsConnection(failure)); // the pool drops broken connections itself
        const rowsOf = (i: number) => query.rowsOf(i + before.length);
        const failed = Math.max(query.current - before.length, 0);
        if (failure) this.settleFailed(batch, way, { failure, failed, rowsOf });
        else for (const [i, pending] of batch.entries()) resolve(pending, rowsOf(i));
      });
      client.query(query);
    });
  }

  private settleFailed(batch: Batch, way: Way, { failure, failed, rowsOf }: Failure): void {
    for (const [i, pending] of batch.entries()) {
      if (way === 'read' && i < failed) resolve(pending, rowsOf(i));
      else if (runsAgain(batch, way, i, { failure, failed })) this.run([pending], way);
      else rejectFailed(pending, failure);
    }
  }
}

interface Failure {
  readonly failure: Error;
  /** Index of the statement that failed. */
  readonly failed: number;
  readonly rowsOf: (i: number) => RawRows;
}

/** Whether a statement has not happened, and may succeed by itself. After a lost connection the commit is uncertain. */
function runsAgain(
  batch: Batch,
  way: Way,
  i: number,
  { failure, failed }: Pick<Failure, 'failure' | 'failed'>,
): boolean {
  const isRolledBack =
    failure instanceof pg.DatabaseError && failure.code !== undefined && !endsConnection(failure);
  if (!isRolledBack || batch.length === 1) return false;
  if (i !== failed) return true;
  // A write may have failed because of another one, but takes no longer for it.
  return way === 'write' && failure.code !== QUERY_CANCELED;
}

const endsConnection = (error: Error | undefined): boolean =>
  isQueryTimeout(error) || (error instanceof pg.DatabaseError && CLOSING.test(error.code ?? ''));

/** A module has left a transaction open on the connection: what ran in it is not committed. */
function transactionLeftOpen(client: PoolClient): Error | undefined {
  return client.getTransactionStatus() === 'I'
    ? undefined
    : new Error('A transaction was left open on the connection.');
}

const ignore = (): void => undefined;

function chunks<T>(items: readonly T[]): (readonly T[])[] {
  if (items.length <= MAX_BATCH) return items.length === 0 ? [] : [items];
  return [items.slice(0, MAX_BATCH), ...chunks(items.slice(MAX_BATCH))];
}
