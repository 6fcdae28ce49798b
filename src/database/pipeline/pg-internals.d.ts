declare module 'pg/lib/utils.js' {
  export type Sendable = string | Buffer | null;

  const utils: {
    /** What `pg` sends for a value. Throws for what it cannot send, such as a BigInt within JSON. */
    readonly prepareValue: (value: unknown) => Sendable;
  };
  export default utils;
}

declare module 'pg/lib/result.js' {
  import type { QueryResultRow } from 'pg';

  export type Types = unknown;

  export default class Result {
    constructor(rowMode?: 'array', types?: Types);
    readonly _types: Types;
    addFields(fields: readonly unknown[]): void;
    /** Throws what the parser of a type throws. */
    parseRow(values: readonly unknown[]): QueryResultRow;
  }
}

declare module 'pg/lib/query.js' {
  import type { Connection, QueryResult } from 'pg';
  import type Result from 'pg/lib/result.js';

  export interface PreparingConnection extends Connection {
    /** The text of each statement whose preparation has been sent and not answered, by its name. */
    readonly submittedNamedStatements: Record<string, string | undefined>;
  }

  export default class Query {
    constructor(
      text: string,
      values: readonly unknown[],
      done: (error: Error | null, result?: QueryResult) => void,
    );
    /** Of the statement that is believed to be prepared as soon as PostgreSQL says that one is. */
    name: string;
    text: string;
    protected readonly _result: Result;
    submit(connection: Connection): Error | null;
    /** Sends every message of the query. */
    protected prepare(connection: PreparingConnection): void;
    protected hasBeenParsed(connection: PreparingConnection): boolean;
    handleRowDescription(message: { readonly fields: readonly unknown[] }): void;
    handleDataRow(message: { readonly fields: readonly unknown[] }): void;
    handleCommandComplete(): void;
    handleEmptyQuery(): void;
    handleError(error: Error, connection: PreparingConnection): void;
  }
}
