import type { Connection } from 'pg';
import Query, { type PreparingConnection } from 'pg/lib/query.js';
import type { Sendable } from 'pg/lib/utils.js';
import { memoize } from '../../kernel/caching.js';
import { QUERY_TIMEOUT, withoutPreparedStatements } from '../pool/service-client.js';
import { type BoundStatement, isStale, type Parser, type RawRows } from './statement.js';

/** The columns of each prepared statement by name. PostgreSQL does not run one whose columns have changed. */
const columnsOf = memoize<Connection, Map<string, readonly Parser[]>>(() => new Map());

const NONE: readonly Parser[] = [];

/**
 * Several statements as one query of `pg`, with one Sync message at the end instead of one for each: one packet each
 * way, and one transaction. If one fails, nothing has happened, and those after it did not run (PostgreSQL, "Message Flow",
 * Pipelining). A statement with a name is prepared, and
 * its columns are requested, once per connection. After one that can no longer run, the connection prepares none.
 */
export class PipelinedQuery extends Query {
  /** Read by `pg`. */
  readonly query_timeout = QUERY_TIMEOUT;
  /** Index of the running statement; after the last one, the commit. */
  current = 0;
  private columns = new Map<string, readonly Parser[]>();
  private readonly parsers: (readonly Parser[] | undefined)[];
  private readonly received: (string | null)[][][];

  /** @param done called once, with the first error */
  constructor(
    private readonly statements: readonly BoundStatement[],
    done: (error: Error | null) => void,
  ) {
    super('several', [], done);
    this.parsers = statements.map(() => undefined);
    this.received = statements.map(() => []);
    this.goTo(0);
  }

  /** The rows of a completed statement. */
  rowsOf(i: number): RawRows {
    return { parsers: this.parsers[i] ?? [], rows: this.received[i] ?? [] };
  }

  override requiresPreparation(): boolean {
    return true;
  }

  protected override prepare(connection: PreparingConnection): void {
    this.columns = columnsOf(connection);
    for (const [i, statement] of this.statements.entries()) {
      this.goTo(i);
      this.send(i, statement, connection);
    }
    connection.sync();
    this.goTo(0);
  }

  override handleRowDescription({ fields }: { fields: readonly { readonly dataTypeID: number }[] }): void {
    const types = this._result._types;
    const parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'));
    this.parsers[this.current] = parsers;
    if (this.name !== '') this.columns.set(this.name, parsers);
  }

  override handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.received[this.current]?.push(fields);
  }

  override handleCommandComplete(): void {
    if (!this.parsers[this.current] && this.name !== '') this.columns.set(this.name, NONE);
    this.goTo(this.current + 1);
  }

  /** Sent instead for a statement that is only a comment. */
  override handleEmptyQuery(): void {
    this.goTo(this.current + 1);
  }

  override handleError(error: Error, connection: PreparingConnection): void {
    for (const { name } of this.statements.slice(this.current)) {
      connection.submittedNamedStatements[name] = undefined;
    }
    if (isStale(error)) withoutPreparedStatements.add(connection);
    super.handleError(error, connection);
  }

  private send(i: number, { name, text, values }: BoundStatement, connection: PreparingConnection): void {
    const isKept = name !== '' && !withoutPreparedStatements.has(connection);
    this.parsers[i] = isKept ? this.columns.get(name) : undefined;
    if (!isKept || !this.hasBeenParsed(connection)) {
      connection.parse({ name: isKept ? name : '', text, types: [] }, false);
      if (isKept) connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: isKept ? name : '', values: values as Sendable[] }, false); // `pg` only reads them
    if (!this.parsers[i]) connection.describe({ type: 'P' }, false);
    connection.execute(null, false);
  }

  private goTo(i: number): void {
    this.current = i;
    const statement = this.statements[i];
    if (statement) ({ name: this.name, text: this.text } = statement);
  }
}
