declare module 'pg/lib/utils.js' {
  const utils: {
    /** What `pg` sends for a value. Throws for what it cannot send, such as a BigInt within JSON. */
    readonly prepareValue: (value: unknown) => unknown;
  };
  export default utils;
}

declare module 'pg/lib/query.js' {
  import type { Connection, QueryResult } from 'pg';

  /** What makes objects of the rows that follow. */
  export interface Columns {
    fields?: unknown;
    _parsers?: unknown;
    _prebuiltEmptyResultObject?: unknown;
  }

  export default class Query {
    constructor(
      text: string,
      values: unknown[] | undefined,
      done: (error: Error | undefined, result?: QueryResult) => void,
    );
    name: string;
    readonly values: (string | Buffer | null)[];
    protected readonly _result: Columns;
    protected _accumulateRows: boolean;
    submit(connection: Connection): void;
    /** Sends all messages of one run. */
    prepare(connection: Connection): void;
    handleRowDescription(message: unknown): void;
  }
}
