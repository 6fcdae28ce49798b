import type { Writable } from 'node:stream';
import type { Pool, QueryResultRow } from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { type Batch, type Rows, tell, type Waiting } from './batch.js';
import { type Kind, READS, runTogether, WRITES } from './run-together.js';
import { endsConnection } from './ends-connection.js';
import { prepared } from './prepared.js';
import { isSame, type Run } from './statement.js';

/** Statements that one connection runs one after the other. */
const MOST = 32;

/** For a batch: a little more than PostgreSQL grants one statement (src/database/connection-options.ts). */
const PATIENCE = seconds(1.5);

/**
 * Runs statements outside of transactions. Those of one turn of the event loop, which are of requests that arrived
 * together, go to PostgreSQL in one packet, and are answered with one: on its way a packet costs more than all else
 * that a request does (docs/performance.md). Each statement still succeeds or fails for itself, but for what runs into
 * the time limit (run-together.ts). None may begin or end a transaction.
 */
export class StatementBatches {
  private reads: Waiting[] = [];
  private writes: Waiting[] = [];

  constructor(private readonly pool: Pool) {}

  /** Rows that nobody may change: requests that ask for the same at the same time share them. */
  read<Row extends QueryResultRow>(asked: Run): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      const run = prepared(asked);
      const done = settle(resolve as (rows: Rows) => void, reject);
      const same = this.reads.find((waiting) => isSame(waiting.run, run));
      if (same) same.done.push(done);
      else this.add(this.reads, { run, done: [done] });
    });
  }

  write<Row extends QueryResultRow>(run: Run): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.add(this.writes, { run: prepared(run), done: [settle(resolve as (rows: Rows) => void, reject)] });
    });
  }

  private add(list: Waiting[], waiting: Waiting): void {
    if (this.reads.length + this.writes.length === 0) setImmediate(this.send);
    list.push(waiting);
  }

  private readonly send = (): void => {
    const { reads, writes } = this;
    this.reads = [];
    this.writes = [];
    for (const batch of chunks(reads)) this.run(batch, READS);
    for (const batch of chunks(writes)) this.run(batch, WRITES);
  };

  private run(batch: Batch, kind: Kind): void {
    this.pool.connect((error, client, release) => {
      if (!client) {
        for (const waiting of batch) tell(waiting, error);
        return;
      }
      const { stream } = (client as unknown as Inside).connection; // its types leave the socket out
      // Statements that wait for locks do so one after the other: each would be in time, and the last far too late.
      const deadline = setTimeout(() => stream.destroy(new Error('Query read timeout')), PATIENCE);
      client.on('error', ignore); // each statement hears of it too
      runTogether(batch, client, kind, (failure) => {
        clearTimeout(deadline);
        client.off('error', ignore);
        release(endsConnection(failure)); // the pool itself keeps none that is broken already
      });
    });
  }
}

const ignore = (): void => undefined;

interface Inside {
  readonly connection: { readonly stream: Writable };
}

function settle(resolve: (rows: Rows) => void, reject: (error: Error) => void) {
  return (error: Error | undefined, rows: Rows): void => {
    if (error) reject(error);
    else resolve(rows);
  };
}

function chunks<T>(items: readonly T[]): (readonly T[])[] {
  if (items.length <= MOST) return items.length === 0 ? [] : [items];
  return [items.slice(0, MOST), ...chunks(items.slice(MOST))];
}
