import type { Connection, QueryResultRow } from 'pg';
import Query, { type PreparingConnection } from 'pg/lib/query.js';
import Result from 'pg/lib/result.js';
import type { Prepared } from './prepared.js';

/** What makes objects of a statement's rows, by its name. */
type Readers = Map<string, Result>;

/** What each connection has been told. PostgreSQL refuses to run a prepared SELECT or RETURNING whose columns have changed. */
const known = new WeakMap<Connection, Readers>();

/** What became of a run: its rows, or why they cannot be read. */
export interface Outcome {
  readonly rows: QueryResultRow[];
  error?: Error;
}

/**
 * Runs of prepared statements that `pg` takes for one query. It sends a Sync behind each query, PostgreSQL answers when
 * it comes to one, and a packet for each answer costs both sides more than all else that a statement does
 * (docs/performance.md). Here one Sync is behind all runs. That makes a transaction of them: all succeed or
 * nothing has happened, and none behind the one that failed was tried (PostgreSQL, chapter "Message Flow", Pipelining).
 * So none may begin or end one.
 *
 * `pg` also asks for the columns at each run; here they are asked for until the connection knows them.
 */
export class Pipeline extends Query {
  /** One for each run. Those before `at` are complete. */
  readonly outcomes: readonly Outcome[];
  /** Which run PostgreSQL is at. The one after the last is the commit. */
  at = 0;
  private readers: Readers = new Map();

  /** @param done called once, with what failed first */
  constructor(
    private readonly runs: readonly Prepared[],
    done: (error: Error | null) => void,
  ) {
    super('several', [], done);
    this.outcomes = runs.map(() => ({ rows: [] }));
    this.goTo(0);
  }

  protected override prepare(connection: PreparingConnection): void {
    this.readers = readersOf(connection);
    for (const [i, run] of this.runs.entries()) {
      this.goTo(i);
      this.send(run, connection);
    }
    connection.sync();
    this.goTo(0);
  }

  override handleRowDescription({ fields }: { fields: readonly unknown[] }): void {
    const reader = new Result(undefined, this._result._types);
    reader.addFields(fields);
    this.readers.set(this.name, reader);
  }

  override handleDataRow({ fields }: { fields: readonly unknown[] }): void {
    const outcome = this.outcomes[this.at];
    try {
      const reader = this.readers.get(this.name);
      if (!reader) throw new Error('PostgreSQL sent a row and never said what it holds');
      outcome?.rows.push(reader.parseRow(fields));
    } catch (error) {
      if (outcome) outcome.error = error as Error;
    }
  }

  override handleCommandComplete(): void {
    this.goTo(this.at + 1);
  }

  /** PostgreSQL says this in place of the other where there is nothing but a comment. */
  override handleEmptyQuery(): void {
    this.goTo(this.at + 1);
  }

  override handleError(error: Error, connection: PreparingConnection): void {
    for (const { name } of this.runs.slice(this.at)) connection.submittedNamedStatements[name] = undefined;
    super.handleError(error, connection);
  }

  private send({ name, text, values }: Prepared, connection: PreparingConnection): void {
    if (!this.hasBeenParsed(connection)) {
      connection.parse({ name, text, types: [] }, false);
      connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values }, false);
    if (!this.readers.has(name)) connection.describe({ type: 'P' }, false);
    connection.execute(null, false);
  }

  private goTo(i: number): void {
    this.at = i;
    const run = this.runs[i];
    if (run) ({ name: this.name, text: this.text } = run);
  }
}

function readersOf(connection: Connection): Readers {
  let readers = known.get(connection);
  if (!readers) known.set(connection, (readers = new Map<string, Result>()));
  return readers;
}
