import pg, { type Connection, type Pool, type PoolClient, type Submittable } from 'pg';
import { QueryFailedError } from 'typeorm';
import { memoize } from '../../kernel/caching.js';
import { QUERY_TIMEOUT } from '../pool/service-client.js';

/** Statements that one connection runs one after the other. */
const MAX_BATCH = 32;

/**
 * SQLSTATE of errors after which PostgreSQL closes the connection: shutdown, failure, idle in transaction. `pg` notices later that
 * it has.
 */
const CLOSING = /^(57P|08|25P0[34])/;

/** SQL with the texts of its parameters. */
export interface Statement {
  /** Of the prepared statement; empty where PostgreSQL parses and plans it anew. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** Parses the text of a column. */
export type Parser = (text: string) => unknown;

/** Rows as lists of their columns. Requests that share them create their own objects. */
export interface RawRows {
  /** One for each column that is the text of PostgreSQL. */
  readonly parsers: readonly Parser[];
  readonly rows: readonly (readonly unknown[])[];
}

/**
 * Runs the reads of one turn of the event loop in one packet, outside transactions. Identical ones run once and share the rows.
 * Each succeeds or fails by itself: where one fails, those behind it run again, each alone.
 */
export class ReadBatches {
  private pending = new Map<string, Read>();

  constructor(private readonly pool: Pool) {}

  read(statement: Statement): Promise<RawRows> {
    if (this.pending.size === 0) setImmediate(this.send);
    const key = `${statement.text}\0${statement.values.join('\0')}`; // no text of PostgreSQL contains U+0000
    let read = this.pending.get(key);
    if (!read) this.pending.set(key, (read = new Read(statement)));
    return read.result;
  }

  private readonly send = (): void => {
    const reads = [...this.pending.values()];
    this.pending = new Map();
    for (let i = 0; i < reads.length; i += MAX_BATCH) void this.run(reads.slice(i, i + MAX_BATCH));
  };

  private async run(reads: readonly Read[]): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      for (const read of reads) read.reject(error as Error);
      return;
    }
    const { types = pg.types } = this.pool.options;
    const failure = await new Promise<Error | null>((done) => {
      client.query(new Pipeline(reads, types.getTypeParser, done));
    });
    client.release(failure !== null && !isRefused(failure));
    if (!failure) return;
    const [failed, ...others] = reads.filter(({ isSettled }) => !isSettled);
    failed?.reject(failure);
    for (const other of others) {
      if (isRefused(failure)) void this.run([other]);
      else other.reject(failure);
    }
  }
}

/** A statement that waits for its rows. */
class Read {
  isSettled = false;
  /** Another one than in transactions, where `pg` prepares statements. */
  readonly name: string;
  readonly result: Promise<RawRows>;
  private settle!: { resolve: (rows: RawRows) => void; reject: (error: Error) => void };

  constructor(readonly statement: Statement) {
    this.name = statement.name && `${statement.name} batched`;
    this.result = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
  }

  resolve(rows: RawRows): void {
    this.isSettled = true;
    this.settle.resolve(rows);
  }

  /** With the error that TypeORM throws for a failed query. */
  reject(error: Error): void {
    this.isSettled = true;
    const { text, values } = this.statement;
    this.settle.reject(new QueryFailedError(text, [...values], error));
  }
}

/** The columns of each statement that a connection has prepared. */
const preparedOn = memoize<Connection, Map<string, readonly Parser[]>>(() => new Map());

/**
 * Several statements as one query of `pg`, which it hands the messages of the server, as it does for `pg-cursor`. One Sync at the
 * end makes them one packet each way; after a failed one PostgreSQL skips the others ("Message Flow", Pipelining). A
 * statement is prepared, and its columns are requested, once per connection.
 */
class Pipeline implements Submittable {
  /** Read by `pg`, which also replaces the callback. */
  readonly query_timeout = QUERY_TIMEOUT;
  private prepared = new Map<string, readonly Parser[]>();
  private current = 0;
  private parsers: readonly Parser[] | undefined;
  private rows: (string | null)[][] = [];

  constructor(
    private readonly reads: readonly Read[],
    private readonly parserOf: (oid: number, format: 'text') => Parser,
    public callback: (error: Error | null) => void,
  ) {}

  submit(connection: Connection): void {
    this.prepared = preparedOn(connection);
    connection.stream.cork();
    for (const { name, statement } of this.reads) {
      const { text, values } = statement;
      const isPrepared = this.prepared.has(name);
      if (!isPrepared) {
        if (name) connection.close({ type: 'S', name }, true); // an attempt that failed may have prepared it
        connection.parse({ name, text, types: [] }, true);
      }
      connection.bind({ statement: name, values: [...values] }, true);
      if (!isPrepared) connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    this.parsers = fields.map(({ dataTypeID }) => this.parserOf(dataTypeID, 'text'));
  }

  handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    this.rows.push(fields);
  }

  handleCommandComplete(): void {
    const read = this.reads[this.current++];
    if (!read) return;
    const parsers = this.parsers ?? this.prepared.get(read.name) ?? [];
    if (read.name) this.prepared.set(read.name, parsers);
    read.resolve({ parsers, rows: this.rows });
    [this.parsers, this.rows] = [undefined, []];
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

/** Whether PostgreSQL has refused a statement, and the connection lives on. */
const isRefused = (failure: Error): boolean =>
  failure instanceof pg.DatabaseError && !CLOSING.test(failure.code ?? '');
