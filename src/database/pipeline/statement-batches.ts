import pg, { type Connection, type Pool, type PoolClient, type Submittable } from 'pg';
import { QueryFailedError } from 'typeorm';
import { memoize } from '../../kernel/caching.js';
import { QUERY_TIMEOUT } from '../pool/service-client.js';

/** Statements per batch, which one connection runs in sequence. */
const MAX_BATCH = 32;

/** SQLSTATE of errors after which PostgreSQL closes the connection, which `pg` notices later: shutdown, failure, idle. */
const CLOSING = /^(57P|08|25P0[34])/;

/** SQL with the texts of its parameters. */
export interface Statement {
  /** The name of the prepared statement; empty for an unprepared one. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** Parses the text of a column. */
export type Parser = (text: string) => unknown;

/** Rows as arrays of column values. Requests that share them create their own objects. */
export interface RawRows {
  /** The parser of each column whose values are texts. */
  readonly parsers: readonly Parser[];
  readonly rows: readonly (readonly unknown[])[];
}

type Way = 'read' | 'write';

/** Writes in a shared transaction do not wait long for locks: a write that must wait runs again alone. */
const SHORT_LOCK_TIMEOUT: Statement = {
  name: 'short lock timeout',
  text: `SELECT set_config('lock_timeout', '50ms', true)`,
  values: [],
};

/**
 * Sends all statements of one turn of the event loop together: one packet each way, and one wait for the disk. Each statement
 * succeeds or fails independently: if one fails, those that did not take effect run again, each alone. They must not begin or
 * end a transaction.
 */
export class StatementBatches {
  private reads = new Map<string, Pending>();
  private writes: Pending[] = [];

  constructor(private readonly pool: Pool) {}

  /** Identical statements in a batch run once and share the rows. */
  read(statement: Statement): Promise<RawRows> {
    const key = `${statement.text}\0${statement.values.join('\0')}`; // texts in PostgreSQL cannot contain U+0000
    let pending = this.reads.get(key);
    if (!pending) {
      this.sendSoon();
      this.reads.set(key, (pending = new Pending(statement)));
    }
    return pending.result;
  }

  write(statement: Statement): Promise<RawRows> {
    const pending = new Pending(statement);
    this.sendSoon();
    this.writes.push(pending);
    return pending.result;
  }

  private sendSoon(): void {
    if (this.reads.size + this.writes.length === 0) setImmediate(this.send);
  }

  private readonly send = (): void => {
    const { reads, writes } = this;
    this.reads = new Map();
    this.writes = [];
    for (const batch of chunks([...reads.values()])) void this.run(batch, 'read');
    for (const batch of chunks(writes)) void this.run(batch, 'write');
  };

  private async run(batch: readonly Pending[], way: Way): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      for (const pending of batch) pending.reject(error as Error);
      return;
    }
    const before = way === 'write' && batch.length > 1 ? [SHORT_LOCK_TIMEOUT] : [];
    const statements = [...before, ...batch.map(({ statement }) => statement)];
    const { types = pg.types } = this.pool.options;
    const pipeline = new Pipeline(statements, types.getTypeParser);
    const thrown = await new Promise<Error | null>((done) => {
      pipeline.callback = done;
      client.query(pipeline);
    });
    const failure = thrown ?? transactionLeftOpen(client);
    client.release(failure !== null && !isRefused(failure));
    const results = failure && way === 'write' ? [] : pipeline.results.slice(before.length);
    for (const [i, pending] of batch.entries()) {
      const rows = results[i];
      const isCertain = batch.length === 1 || (way === 'read' && i === results.length); // this statement failed, not another
      if (rows) pending.resolve(rows);
      else if (failure && (isCertain || !isRefused(failure))) pending.reject(failure);
      else void this.run([pending], way);
    }
  }
}

/** A statement that waits for its rows. */
class Pending {
  readonly result: Promise<RawRows>;
  resolve!: (rows: RawRows) => void;
  private fail!: (error: Error) => void;

  constructor(readonly statement: Statement) {
    this.result = new Promise((resolve, reject) => ([this.resolve, this.fail] = [resolve, reject]));
  }

  /** Rejects with the error that TypeORM throws for a failed query. */
  reject(error: Error): void {
    const { text, values } = this.statement;
    this.fail(new QueryFailedError(text, [...values], error));
  }
}

/** The parsers of each statement that a connection has prepared, by name. */
const preparedOn = memoize<Connection, Map<string, readonly Parser[]>>(() => new Map());

/**
 * Several statements as one query of `pg`, which passes it the messages of the server, as it does for `pg-cursor`. With one Sync
 * at the end, they form one packet each way and one transaction. After a failed statement PostgreSQL skips the rest ("Message
 * Flow", Pipelining). A statement is prepared and described once per connection.
 */
class Pipeline implements Submittable {
  /** `pg` reads it, and replaces the callback to enforce it. */
  readonly query_timeout = QUERY_TIMEOUT;
  callback: (error: Error | null) => void = () => undefined;
  /** The results of the completed statements. */
  readonly results: RawRows[] = [];
  private prepared = new Map<string, readonly Parser[]>();
  private parsers: readonly Parser[] | undefined;
  private rows: (string | null)[][] = [];

  constructor(
    private readonly statements: readonly Statement[],
    private readonly parserOf: (oid: number, format: 'text') => Parser,
  ) {}

  submit(connection: Connection): void {
    this.prepared = preparedOn(connection);
    connection.stream.cork();
    for (const statement of this.statements) {
      const name = batchedName(statement);
      const isPrepared = this.prepared.has(name);
      if (!isPrepared) {
        if (name) connection.close({ type: 'S', name }, true); // a failed attempt may have prepared it
        connection.parse({ name, text: statement.text, types: [] }, true);
      }
      connection.bind({ statement: name, values: [...statement.values] }, true);
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
    const statement = this.statements[this.results.length];
    const name = statement ? batchedName(statement) : '';
    const parsers = this.parsers ?? this.prepared.get(name) ?? [];
    if (name) this.prepared.set(name, parsers);
    this.results.push({ parsers, rows: this.rows });
    [this.parsers, this.rows] = [undefined, []];
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}

/** Differs from the name in transactions, where `pg` prepares the statements. */
const batchedName = ({ name }: Statement): string => name && `${name} batched`;

/** Whether PostgreSQL rejected a statement and the connection is intact. Nothing of the batch is committed then. */
const isRefused = (failure: Error): boolean =>
  failure instanceof pg.DatabaseError && !CLOSING.test(failure.code ?? '');

/** An error if a module began a transaction on a released connection: the statements ran in it and are not committed. */
function transactionLeftOpen(client: PoolClient): Error | null {
  return client.getTransactionStatus() === 'I'
    ? null
    : new Error('A transaction was left open on the connection.');
}

function chunks<T>(items: readonly T[]): (readonly T[])[] {
  if (items.length <= MAX_BATCH) return items.length === 0 ? [] : [items];
  return [items.slice(0, MAX_BATCH), ...chunks(items.slice(MAX_BATCH))];
}
