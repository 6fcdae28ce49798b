import pg from 'pg';
import { seconds } from '../../kernel/clock/duration.js';
import { isStale, markAsDatabaseError } from '../database-unavailable.js';

/** A little more than `statement_timeout`, so that PostgreSQL can report that itself. */
export const QUERY_TIMEOUT = seconds(1.5);
/** A frozen server does not close the connection. */
const END_TIMEOUT = seconds(0.5);
/** A connection to a read-only server is kept that long: the next one may lead there, too. */
const READ_ONLY_TIMEOUT = seconds(1);

/** What PostgreSQL reports of itself, from version 14 on: a standby, or a former primary that may not be written to. */
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'];
/** SQLSTATE of a write to it. */
const READ_ONLY = '25006';

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

export interface ClientConfig extends pg.ClientConfig {
  /** The URL for the next connection, where it may change: a password that is rotated. */
  readonly currentUrl?: () => string | undefined;
  /** False: the next statement may reach another session of PostgreSQL. */
  readonly preparedStatements?: boolean;
}

/** PostgreSQL has rolled back what was to be committed: a statement of the transaction had failed. */
export class TransactionRolledBack extends Error {
  constructor() {
    super('The transaction was rolled back, because a statement in it had failed.');
  }
}

/** A connection that ends when a query has timed out, knows whether it may be used again, and whose commits happen or throw. */
export class ServiceClient extends pg.Client {
  /** Milliseconds. ../statement-timeout.ts raises it. */
  queryTimeout = QUERY_TIMEOUT;
  /** Whether the pool has it, and nobody uses it. */
  isFree = false;
  /** Whether a prepared statement of it no longer runs. */
  private isStale = false;
  private readonly readOnlyParameters = new Set<string>();
  private readOnlySince?: number;

  constructor(config?: string | ClientConfig) {
    super(withCurrentUrl(config));
    this.connection.on('error', markAsDatabaseError);
    this.connection.on('errorMessage', (error: unknown) => (this.isStale ||= isStale(error)));
    this.noticeReadOnly();
    // An error is reported before the status of the transaction, so the connection may be free again by then.
    this.connection.on('readyForQuery', ({ status }: { readonly status: string }) => {
      if (this.isFree && status !== 'I') this.emit('error', new Error('A transaction was left open.')); // the pool drops it
    });
  }

  /** Whether the server has said that it is read-only, as a standby or a former primary is. */
  get isReadOnly(): boolean {
    return this.readOnlySince !== undefined;
  }

  /** Whether another request may use the connection. */
  get isReusable(): boolean {
    const { readOnlySince = Infinity } = this;
    // A transaction that was left open would swallow the writes of others.
    const isOpen = this.getTransactionStatus() !== 'I';
    return !isOpen && !this.isStale && performance.now() - readOnlySince < READ_ONLY_TIMEOUT;
  }

  /**
   * Runs a query with a timeout. A stream, a cursor or a `COPY` has none: the server is not silent while it waits for its consumer.
   * The types are those of `pg`: its overloads have no signature in common.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
  override query(query: any, ...others: unknown[]): any {
    const run = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (typeof (query as Partial<pg.Submittable>).submit === 'function') return run(query, ...others);
    const config = typeof query === 'string' ? { text: query } : (query as pg.QueryConfig);
    const result = run({ query_timeout: this.queryTimeout, ...config }, ...others);
    if (result instanceof Promise) result.catch(this.endAfterTimeout);
    return result instanceof Promise && config.text === 'COMMIT' ? result.then(committed) : result;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const timer = setTimeout(() => this.connection.stream.destroy(), END_TIMEOUT).unref();
    this.once('end', () => {
      clearTimeout(timer);
    });
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  /** Otherwise the next query would wait for the same server. */
  private readonly endAfterTimeout = (error: unknown): void => {
    if (isQueryTimeout(error)) this.end().catch(() => undefined);
  };

  private noticeReadOnly(): void {
    this.connection.on('parameterStatus', ({ parameterName: name, parameterValue }: ParameterStatus) => {
      if (!READ_ONLY_PARAMETERS.includes(name)) return;
      if (parameterValue === 'on') this.readOnlyParameters.add(name);
      else this.readOnlyParameters.delete(name);
      this.readOnlySince =
        this.readOnlyParameters.size > 0 ? (this.readOnlySince ?? performance.now()) : undefined;
    });
    this.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
      if (code === READ_ONLY) this.readOnlySince ??= performance.now();
    });
  }
}

/** @throws TransactionRolledBack for a commit that PostgreSQL answers with `ROLLBACK`, and without an error */
function committed(result: pg.QueryResult): pg.QueryResult {
  if (result.command === 'ROLLBACK') throw new TransactionRolledBack();
  return result;
}

/** Whether `pg` has waited in vain for the response to a query. */
export const isQueryTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout';

function withCurrentUrl(config?: string | ClientConfig): string | ClientConfig | undefined {
  const url = typeof config === 'object' ? config.currentUrl?.() : undefined;
  return url === undefined ? config : { ...(config as ClientConfig), connectionString: url };
}
