declare module 'pg/lib/utils.js' {
  export type Sendable = string | Buffer | null;

  const utils: {
    /** The text or bytes that `pg` sends for a value. Throws for what it cannot send. */
    readonly prepareValue: (value: unknown) => Sendable;
  };
  export default utils;
}

declare module 'pg/lib/query.js' {
  import type { Connection, QueryResult } from 'pg';

  export interface PreparingConnection extends Connection {
    /** The text of each statement whose preparation is pending, by its name. */
    readonly submittedNamedStatements: Record<string, string | undefined>;
  }

  export default class Query {
    constructor(
      text: string,
      values: readonly unknown[],
      done: (error: Error | null, result?: QueryResult) => void,
    );
    /** The name of the statement that the next ParseComplete marks as prepared. */
    name: string;
    text: string;
    /** The client sets its types when it gets the query. */
    protected readonly _result: {
      readonly _types: { getTypeParser(oid: number, format: 'text'): (text: string) => unknown };
    };
    submit(connection: Connection): Error | null;
    /** Whether the query uses the extended protocol. */
    requiresPreparation(): boolean;
    /** Sends every message of the query. */
    protected prepare(connection: PreparingConnection): void;
    protected hasBeenParsed(connection: PreparingConnection): boolean;
    handleRowDescription(message: { readonly fields: readonly { readonly dataTypeID: number }[] }): void;
    handleDataRow(message: { readonly fields: (string | null)[] }): void;
    handleCommandComplete(): void;
    handleEmptyQuery(): void;
    handleError(error: Error, connection: PreparingConnection): void;
  }
}
