import type { Connection } from 'pg';
import Query, { type PreparingConnection } from 'pg/lib/query.js';
import type { Sendable } from 'pg/lib/utils.js';
import { memoize } from '../../kernel/memoize.js';
import { withoutPreparedStatements } from '../pool/read-timeout.client.js';
import type { BoundStatement, Parser, RawRows } from './statement.js';

/** The columns of each prepared statement by name. PostgreSQL does not run one whose columns have changed. */
const columnsOf = memoize<Connection, Map<string, readonly Parser[]>>(() => new Map());

/**
 * Several prepared statements as one query of `pg`, with one Sync message at the end instead of one for each: one packet each
 * way, and one transaction. If one fails, nothing has happened, and those after it did not run (PostgreSQL, "Message Flow",
 * Pipelining). So none may begin or end a transaction. The columns are requested once per connection.
 */
export class PipelinedQuery extends Query {
  /** Index of the running statement; after the last one, the commit. */
  current = 0;
  private columns = new Map<string, readonly Parser[]>();
  private readonly received: (string | null)[][][];

  /** @param done called once, with the first error */
  constructor(
    private readonly statements: readonly BoundStatement[],
    done: (error: Error | null) => void,
  ) {
    super('several', [], done);
    this.received = statements.map(() => []);
    this.goTo(0);
  }

  /** The rows of a completed statement. */
  rowsOf(i: number): RawRows {
    return { parsers: this.columns.get(this.statements[i]?.name ?? '') ?? [], rows: this.received[i] ?? [] };
  }

  protected override prepare(connection: PreparingConnection): void {
    this.columns = columnsOf(connection);
    for (const [i, statement] of this.statements.entries()) {
      this.goTo(i);
      this.send(statement, connection);
    }
    connection.sync();
    this.goTo(0);
  }

  override handleRowDescription({ fields }: { fields: readonly { readonly dataTypeID: number }[] }): void {
    const types = this._result._types;
    this.columns.set(
      this.name,
      fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text')),
    );
  }

  override handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.received[this.current]?.push(fields);
  }

  override handleCommandComplete(): void {
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
    super.handleError(error, connection);
  }

  private send({ name, text, values }: BoundStatement, connection: PreparingConnection): void {
    const isKept = !withoutPreparedStatements.has(connection);
    if (!isKept || !this.hasBeenParsed(connection)) {
      connection.parse({ name: isKept ? name : '', text, types: [] }, false);
      if (isKept) connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: isKept ? name : '', values: values as Sendable[] }, false); // `pg` only reads them
    if (!this.columns.has(name)) connection.describe({ type: 'P' }, false);
    connection.execute(null, false);
  }

  private goTo(i: number): void {
    this.current = i;
    const statement = this.statements[i];
    if (statement) ({ name: this.name, text: this.text } = statement);
  }
}
