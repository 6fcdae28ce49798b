import pg from 'pg';
import { seconds } from '../../../kernel/clock/duration.js';
import { endsConnection, isStaleStatement, markAsDatabaseError } from '../database-unavailable.js';
import { TransactionRolledBack } from '../transaction-rolled-back.js';
import { withExactDates } from './values.js';
import { PostgresClient } from './postgres-client.js';

/** Time for the response to a query, waits for locks included. */
export const QUERY_TIMEOUT = seconds(5);
/** Extra time, so that PostgreSQL can report its own timeout. */
const MARGIN = 375; // milliseconds
/** The longest delay of a timer. */
const MAX_DELAY = 2 ** 31 - 1;
/** After this time the connection is closed by force: a frozen server does not close it. */
const END_TIMEOUT = seconds(0.5);
/** A connection to a read-only server is kept for this long: a new one may lead to the same server. */
const READ_ONLY_TIMEOUT = seconds(1);

/** Parameters that PostgreSQL 14 and later reports, `on` for a standby or a read-only former primary. */
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'];
/** SQLSTATE of a write to a read-only server. */
const READ_ONLY_TRANSACTION = '25006';

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

export interface ClientConfig extends pg.ClientConfig {
  /** Returns the URL for the next connection, if its password may be rotated. */
  readonly currentUrl?: () => string | undefined;
  /** `false` if a pooler may send the next statement to another session. */
  readonly preparedStatements?: boolean;
}

/** A query had no response in time. Its connection is closed. */
class QueryTimeout extends Error {
  /** @param timeout milliseconds */
  constructor(timeout: number) {
    super(`Query read timeout after ${timeout / 1000} s; withStatementTimeout() allows a module more`);
  }
}

/** What `pg` takes as a query. */
type Sent = string | (pg.QueryConfig & { readonly query_timeout?: number });
type Answer = (error: Error | null, result?: pg.QueryResult) => void;

/** The time limit of a query, in milliseconds. */
interface Limit {
  readonly timeout: number;
  /** As `performance.now()`. */
  readonly deadline: number;
}

/** Its types lack the parameters. */
const Query = pg.Query as unknown as new (...args: [Sent, unknown[] | undefined, Answer]) => pg.Submittable;

/**
 * A connection that closes after a query timeout, reports whether it can be reused, and throws if a COMMIT
 * did not commit.
 */
export class ServiceClient extends PostgresClient {
  /** Milliseconds. */
  queryTimeout = QUERY_TIMEOUT;
  /** Whether it is idle in the pool. */
  isFree = false;
  /** Whether it is closed, or about to be. */
  isLost = false;
  /** Whether PostgreSQL has reported an error, but not yet the transaction status that it leads to. */
  private isFailing = false;
  /** Whether one of its prepared statements no longer works. */
  private hasStaleStatement = false;
  private readonly unanswered = new Map<Limit, Answer>();
  private timer?: NodeJS.Timeout;
  /** When the timer ends, in milliseconds of `performance.now()`. */
  private looksAt = Infinity;
  private readonly readOnlyParameters = new Set<string>();
  private readOnlySince?: number;

  constructor(config?: string | ClientConfig) {
    super(withCurrentUrl(config));
    this.connection.on('error', markAsDatabaseError);
    this.connection.on('end', () => (this.isLost = true));
    this.connection.on('errorMessage', (error: unknown) => {
      this.isFailing = true;
      this.isLost ||= endsConnection(error);
      this.hasStaleStatement ||= isStaleStatement(error);
    });
    this.noticeReadOnly();
    this.connection.on('readyForQuery', ({ status }: { readonly status: string }) => {
      this.isFailing = false;
      // After an error, the connection may already be idle again.
      if (this.isFree && status !== 'I') this.emit('error', new Error('A transaction was left open.')); // the pool drops it
    });
  }

  /** `T` in a transaction, `E` in one that has failed, otherwise `I`. */
  override getTransactionStatus(): ReturnType<pg.Client['getTransactionStatus']> {
    const status = super.getTransactionStatus();
    return this.isFailing && status === 'T' ? 'E' : status;
  }

  /** Whether the server has reported that it is read-only, such as a standby or a former primary. */
  get isReadOnly(): boolean {
    return this.readOnlySince !== undefined;
  }

  /** Whether another request may use the connection. */
  get isReusable(): boolean {
    const { readOnlySince } = this;
    // The next writes would become part of a transaction that was left open.
    const isOpen = this.getTransactionStatus() !== 'I';
    const mayWrite = readOnlySince === undefined || performance.now() - readOnlySince < READ_ONLY_TIMEOUT;
    return !isOpen && !this.hasStaleStatement && mayWrite;
  }

  /**
   * Runs a query with a timeout. Streams, cursors and `COPY` have none, because they may wait for their
   * consumer. The overloads of `pg` have no signature in common.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
  override query(query: any, ...others: unknown[]): any {
    if (typeof (query as Partial<pg.Submittable>).submit === 'function') {
      const run = super.query.bind(this) as (...args: unknown[]) => unknown;
      return run(query, ...others);
    }
    const callback = others.at(-1);
    const values = Array.isArray(others[0]) ? others[0] : undefined;
    if (typeof callback !== 'function') return this.promise(query as Sent, values);
    this.send(query as Sent, values, callback as Answer);
    return undefined;
  }

  private async promise(query: Sent, values: unknown[] | undefined): Promise<pg.QueryResult> {
    try {
      return await new Promise((resolve, reject) => {
        this.send(query, values, (error, result) => {
          if (result && !error) resolve(result);
          else reject(error ?? new Error('There is no result.'));
        });
      });
    } catch (error) {
      Error.captureStackTrace(error as Error); // which leads to the caller instead of to the socket
      throw error;
    }
  }

  /**
   * The callback is an argument: `pg` would assign a function to a property of the query, for its promise and
   * once more for its `query_timeout`. V8 allocates such functions in the old generation, where everything
   * that they refer to stays until the next full collection, such as the rows, the request and the response.
   */
  private send(query: Sent, values: unknown[] | undefined, callback: Answer): void {
    const { text, query_timeout: timeout = this.queryTimeout } =
      typeof query === 'string' ? { text: query } : query;
    const limit: Limit = { timeout, deadline: performance.now() + timeout };
    const ended: Answer = (error, result) => {
      if (!this.unanswered.delete(limit)) return; // its time had ended
      const hasRolledBack = text === 'COMMIT' && result?.command === 'ROLLBACK';
      callback(hasRolledBack ? new TransactionRolledBack() : error, result);
    };
    this.unanswered.set(limit, ended);
    this.lookAt(limit.deadline);
    super.query(new Query(query, values?.map(withExactDates), ended));
  }

  /** One timer serves all queries: it goes on when a query has ended, for those that follow. */
  private lookAt(deadline: number): void {
    if (deadline >= this.looksAt) return;
    clearTimeout(this.timer);
    this.looksAt = deadline;
    // After a delay of this process, what has arrived meanwhile counts, as in `withTimeout()`.
    const look = () => setImmediate(this.endLate);
    const delay = Math.min(Math.max(0, deadline - performance.now()), MAX_DELAY); // Node.js 24 warns of a negative one
    this.timer = setTimeout(look, delay).unref(); // the socket keeps the process alive
  }

  private readonly endLate = (): void => {
    this.looksAt = Infinity;
    const now = performance.now();
    for (const [{ deadline, timeout }, ended] of this.unanswered) {
      if (deadline > now) this.lookAt(deadline);
      else {
        ended(new QueryTimeout(timeout));
        // PostgreSQL notices that nobody waits for the statement any more, and the pool that it lost the
        // connection.
        this.end().catch(() => undefined);
        this.destroy();
      }
    }
  };

  /**
   * Limits the statements of the running transaction.
   * @param timeout milliseconds for each statement, and between two statements
   */
  async limitStatements(timeout: number): Promise<void> {
    await this.query(
      `SET LOCAL statement_timeout TO ${timeout}; SET LOCAL idle_in_transaction_session_timeout TO ${timeout}`,
    );
    this.queryTimeout = timeout + MARGIN;
  }

  /**
   * Rejects also when `end()` is called before the connection is open: the promise of `pg` would stay
   * pending.
   */
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
  override connect(
    callback?: (error: Error | null, client?: pg.Client) => void,
  ): Promise<pg.Client> | undefined {
    if (callback) {
      super.connect(callback);
      return undefined;
    }
    const ended = new Promise<never>((_, reject) => {
      this.once('end', () => {
        reject(new Error('The connection was ended before it was open.'));
      });
    });
    return Promise.race([super.connect(), ended]);
  }

  /** Closes the connection at once. A running query is rejected. */
  destroy(): void {
    this.isLost = true;
    this.connection.stream.destroy();
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const timer = setTimeout(() => {
      this.destroy();
    }, END_TIMEOUT).unref();
    this.once('end', () => {
      clearTimeout(timer);
    });
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  private noticeReadOnly(): void {
    this.connection.on('parameterStatus', ({ parameterName: name, parameterValue }: ParameterStatus) => {
      if (!READ_ONLY_PARAMETERS.includes(name)) return;
      if (parameterValue === 'on') this.readOnlyParameters.add(name);
      else this.readOnlyParameters.delete(name);
      this.readOnlySince =
        this.readOnlyParameters.size > 0 ? (this.readOnlySince ?? performance.now()) : undefined;
    });
    this.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
      if (code === READ_ONLY_TRANSACTION) this.readOnlySince ??= performance.now();
    });
  }
}

function withCurrentUrl(config?: string | ClientConfig): string | ClientConfig | undefined {
  const url = typeof config === 'object' ? config.currentUrl?.() : undefined;
  return url === undefined ? config : { ...(config as ClientConfig), connectionString: url };
}
