import type { Writable } from 'node:stream';
import pg, { type Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { seconds } from '../clock/duration.js';
import { isSame, type Run } from './statement.js';

/** Reads that one connection answers one after the other. */
const MOST_READS = 32;
/** Writes; fewer, because PostgreSQL waits for the disk after each, and does so for several connections at once. */
const MOST_WRITES = 4;

/** For a batch: a little more than PostgreSQL grants one statement (src/database/connection-options.ts). */
const PATIENCE = seconds(1.5);

type Rows = readonly QueryResultRow[];

interface Waiting {
  readonly run: Run;
  readonly done: ((error: Error | undefined, rows: Rows) => void)[];
}

/**
 * Runs statements outside of transactions. Those of one turn of the event loop, which are of requests that arrived
 * together, go to PostgreSQL in one packet (pipeline mode): on its way a packet costs more than all else that a
 * request does (docs/performance.md). Each statement still succeeds or fails by itself.
 */
export class StatementBatches {
  private reads: Waiting[] = [];
  private writes: Waiting[] = [];

  constructor(private readonly pool: Pool) {}

  /** Rows that nobody may change: requests that ask for the same at the same time share them. */
  read<Row extends QueryResultRow>(run: Run): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      const done = settle(resolve as (rows: Rows) => void, reject);
      const same = this.reads.find((waiting) => isSame(waiting.run, run));
      if (same) same.done.push(done);
      else this.add(this.reads, { run, done: [done] });
    });
  }

  write<Row extends QueryResultRow>(run: Run): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      this.add(this.writes, { run, done: [settle(resolve as (rows: Rows) => void, reject)] });
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
    for (const batch of [...chunks(reads, MOST_READS), ...chunks(writes, MOST_WRITES)]) this.sendBatch(batch);
  };

  private sendBatch(batch: readonly Waiting[]): void {
    this.pool.connect((error, client, release) => {
      if (client) sendAll(batch, client, release);
      else for (const waiting of batch) tell(waiting, error);
    });
  }
}

function sendAll(batch: readonly Waiting[], client: PoolClient, release: () => void): void {
  const { stream } = (client as unknown as Inside).connection; // its types leave the socket out
  const failures = new Map<string, Error>();
  let unanswered = batch.length;
  // Statements that wait for locks do so one after the other: each would be in time, and the last far too late.
  const deadline = setTimeout(() => stream.destroy(new Error('Query read timeout')), PATIENCE);
  client.on('error', ignore); // each statement hears of it too
  stream.cork();
  for (const waiting of batch) {
    const { name } = waiting.run;
    const query = queryOf(waiting.run, (error, result) => {
      unanswered -= 1;
      if (unanswered === 0) {
        clearTimeout(deadline);
        client.off('error', ignore);
        release(); // the pool keeps no connection that broke
      }
      if (error && !failures.has(name)) failures.set(name, error);
      tell(waiting, isNotPrepared(error) ? failures.get(name) : error, result?.rows);
    });
    client.query(query);
  }
  stream.uncork();
}

/** `pg` copies a query that comes as a plain object, property by property, which takes 2 µs. */
function queryOf(
  { name, text, values }: Run,
  done: (error: Error | undefined, result?: QueryResult) => void,
): pg.Query {
  return Object.assign(new pg.Query(text, values, done), { name }); // its types leave the name out
}

/** The one before it, with the same name, was to be prepared and could not: this one failed for the same reason. */
const isNotPrepared = (error?: Error & { code?: string }): boolean => error?.code === '26000'; // SQLSTATE

const ignore = (): void => undefined;

interface Inside {
  readonly connection: { readonly stream: Writable };
}

function tell({ done }: Waiting, error: Error | undefined, rows: Rows = []): void {
  for (const one of done) one(error, rows);
}

function settle(resolve: (rows: Rows) => void, reject: (error: Error) => void) {
  return (error: Error | undefined, rows: Rows): void => {
    if (error) reject(error);
    else resolve(rows);
  };
}

function chunks<T>(items: readonly T[], size: number): (readonly T[])[] {
  if (items.length <= size) return items.length === 0 ? [] : [items];
  return [items.slice(0, size), ...chunks(items.slice(size), size)];
}
