import type { Pool, PoolClient } from 'pg';
import { BATCH_TIMEOUT, ReadTimeoutClient } from '../pool/read-timeout.client.js';
import { endsConnection, READS, type RetryPolicy, runBatch, WRITES } from './run-batch.js';
import {
  type Batch,
  type BoundStatement,
  isSame,
  type PendingStatement,
  type RawRows,
  reject,
} from './statement.js';

/** Statements that one connection runs one after the other. */
const MAX_BATCH = 32;

/**
 * Runs the statements of one turn of the event loop in one packet, outside transactions. Each succeeds or fails by itself,
 * except after a timeout (run-batch.ts). None may begin or end a transaction.
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
    for (const batch of chunks(reads)) this.run(batch, READS);
    for (const batch of chunks(writes)) this.run(batch, WRITES);
  };

  private run(batch: Batch, policy: RetryPolicy): void {
    this.pool.connect((error, client, release) => {
      if (!client) {
        for (const pending of batch) reject(pending, error ?? new Error('The pool gave no connection'));
        return;
      }
      // Statements wait for locks one after the other, so that the last one may be far too late.
      setTimeLeft(client, BATCH_TIMEOUT);
      client.on('error', ignore); // the statements are rejected with it
      runBatch(batch, client, policy, (failure) => {
        setTimeLeft(client, Infinity);
        client.off('error', ignore);
        release(endsConnection(failure)); // the pool drops broken connections itself
      });
    });
  }
}

const ignore = (): void => undefined;

function setTimeLeft(client: PoolClient, milliseconds: number): void {
  if (client instanceof ReadTimeoutClient) client.timeLeft = milliseconds;
}

function chunks<T>(items: readonly T[]): (readonly T[])[] {
  if (items.length <= MAX_BATCH) return items.length === 0 ? [] : [items];
  return [items.slice(0, MAX_BATCH), ...chunks(items.slice(MAX_BATCH))];
}
