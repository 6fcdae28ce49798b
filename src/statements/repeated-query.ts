import type { Connection } from 'pg';
import Query, { type Columns } from 'pg/lib/query.js';

/** By the name of their statement. A connection that is gone is forgotten with what it knew. */
const known = new WeakMap<Connection, Map<string, Columns>>();

/**
 * A run of a prepared statement that asks for its columns only where its connection has not been told them yet. `pg`
 * asks each time and makes a reader of rows from the answer, which takes 4 µs. PostgreSQL refuses to run a prepared
 * statement whose columns have changed, so they stay the same for as long as the connection lives.
 */
export class RepeatedQuery extends Query {
  private known?: Map<string, Columns>;

  override prepare(connection: Connection): void {
    this.known = knownTo(connection);
    const columns = this.known.get(this.name);
    if (!columns) {
      super.prepare(connection);
      return;
    }
    adopt(columns, this._result);
    this._accumulateRows = true;
    connection.bind({ statement: this.name, values: this.values }, false);
    connection.execute(null, false);
    connection.sync();
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    this.known?.set(this.name, adopt(this._result, {}));
  }
}

function knownTo(connection: Connection): Map<string, Columns> {
  let columns = known.get(connection);
  if (!columns) known.set(connection, (columns = new Map<string, Columns>()));
  return columns;
}

function adopt(from: Columns, to: Columns): Columns {
  to.fields = from.fields;
  to._parsers = from._parsers;
  to._prebuiltEmptyResultObject = from._prebuiltEmptyResultObject;
  return to;
}
