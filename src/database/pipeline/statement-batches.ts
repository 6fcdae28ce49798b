import type { Writable } from 'node:stream';
import type { Pool } from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { endsConnection } from './ends-connection.js';
import { type Batch, type PendingStatement, reject } from './pending-statement.js';
import type { RawRows } from './raw-rows.js';
import { READS, type RetryPolicy, runTogether, WRITES } from './run-together.js';
import { type BoundStatement, isSame } from './statement.js';

/** Statements that one connection runs one after the other. */
const MAX_BATCH = 32;

/** For a batch: a little more than PostgreSQL grants one statement (src/database/pool/connection-options.ts). */
const TIMEOUT = seconds(1.5);

/**
 * Runs statements outside of transactions. Those of one turn of the event loop, which belong to requests that arrived
 * together, go to PostgreSQL in one packet, and their rows come back in one. Each statement still succeeds or fails by
 * itself, except for what runs into the time limit (run-together.ts). None may begin or end a transaction.
 */
export class StatementBatches {
  private reads: PendingStatement[] = [];
  private writes: PendingStatement[] = [];

  constructor(private readonly pool: Pool) {}

  /** Requests that ask for the same at the same time share the rows. */
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
      const { stream } = (client as unknown as Internals).connection; // its types leave the socket out
      // Statements that wait for locks do so one after the other: each would be in time, and the last far too late.
      const timeout = setTimeout(() => stream.destroy(new Error('Query read timeout')), TIMEOUT);
      client.on('error', ignore); // each statement is rejected with it too
      runTogether(batch, client, policy, (failure) => {
        clearTimeout(timeout);
        client.off('error', ignore);
        release(endsConnection(failure)); // the pool itself keeps none that is broken already
      });
    });
  }
}

const ignore = (): void => undefined;

interface Internals {
  readonly connection: { readonly stream: Writable };
}

function chunks<T>(items: readonly T[]): (readonly T[])[] {
  if (items.length <= MAX_BATCH) return items.length === 0 ? [] : [items];
  return [items.slice(0, MAX_BATCH), ...chunks(items.slice(MAX_BATCH))];
}
