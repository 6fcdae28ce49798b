import pg from 'pg';
import { markAsDatabaseError } from '../database-unavailable.js';
import { seconds } from '../../kernel/clock/duration.js';

/** A little more than `statement_timeout`, so that PostgreSQL can report that itself. */
const READ_TIMEOUT = seconds(1.5);
/** A frozen server does not close the connection. */
const END_TIMEOUT = seconds(0.5);
const INTERVAL = seconds(0.125);

/** For statements that run one after the other. A silent server is noticed before. */
export const BATCH_TIMEOUT = READ_TIMEOUT + INTERVAL;

/** The parts of a client that its types lack. */
interface Internals {
  readonly connection: {
    readonly stream: { readonly bytesRead: number; destroy(error?: Error): void };
    on(event: 'parameterStatus', listener: (status: ParameterStatus) => void): void;
    on(event: 'errorMessage', listener: (error: { readonly code?: string }) => void): void;
  };
  readonly readyForQuery: boolean | null;
}

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

/** Connections of `pg` that may not keep prepared statements. */
export const withoutPreparedStatements = new WeakSet<object>();

/** What PostgreSQL reports of itself, from version 14 on: a standby, or a former primary that may not be written to. */
const READ_ONLY_PARAMETERS = ['in_hot_standby', 'default_transaction_read_only'];
/** SQLSTATE of a write to it. */
const READ_ONLY = '25006';

/**
 * A connection with a read timeout: it closes when the server sends nothing while a response is due. One timer serves all
 * connections; `query_timeout` of `pg` starts one for each query and copies the query (docs/performance.md).
 */
export class ReadTimeoutClient extends pg.Client {
  /** Called when the server has sent nothing in time. */
  onTimeout?: () => void;
  /** Milliseconds. ../statement-timeout.ts raises it. */
  readTimeout = READ_TIMEOUT;
  /** Milliseconds until the connection closes although the server sends something. */
  timeLeft = Infinity;
  /** Whether the server has said that it is read-only. */
  isReadOnly = false;
  /** Called when the server says so, or refuses a write for it. */
  onReadOnly?: () => void;
  /** Whether the connection is to be given up, because it leads to a server that is or was read-only. */
  isOutdated = false;
  private ending = false;

  constructor(config?: string | ClientConfig) {
    super(withCurrentUrl(config));
    this.noticeReadOnly();
    if (typeof config === 'object' && config.preparedStatements === false)
      withoutPreparedStatements.add((this as unknown as Internals).connection);
    this.wakeTickerByQueries();
    // Queries and pool have their own listeners; without one, an error between two queries ends the process.
    this.on('error', markAsDatabaseError);
    this.once('connect', () => {
      this.watch();
    });
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.ending = true;
    this.readTimeout = END_TIMEOUT;
    ticker.wake();
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  /** Not a method that overrides `query`, because its overloads have no other signature in common. */
  private wakeTickerByQueries(): void {
    const self = this as { query: unknown };
    const inherited = pg.Client.prototype as { query(this: pg.Client, ...args: unknown[]): unknown };
    self.query = (...args: unknown[]) => {
      ticker.wake();
      return inherited.query.apply(this, args);
    };
  }

  private noticeReadOnly(): void {
    const { connection } = this as unknown as Internals;
    const parameters = new Set<string>();
    connection.on('parameterStatus', ({ parameterName: name, parameterValue: value }) => {
      if (!READ_ONLY_PARAMETERS.includes(name)) return;
      if (value === 'on') parameters.add(name);
      else parameters.delete(name);
      this.isReadOnly = parameters.size > 0;
      if (this.isReadOnly) this.onReadOnly?.();
    });
    connection.on('errorMessage', ({ code }) => {
      if (code === READ_ONLY) this.onReadOnly?.();
    });
  }

  private watch(): void {
    const internals = this as unknown as Internals; // the types lack the socket and the state
    const { stream } = internals.connection;
    let read = 0;
    let silent = 0;
    // Ticks, and not times, so that a delay of this process is not taken for one of the server.
    const tick = () => {
      const isDue = this.ending || !internals.readyForQuery;
      silent = isDue && stream.bytesRead === read ? silent + INTERVAL : 0;
      read = stream.bytesRead;
      this.timeLeft -= INTERVAL;
      if (silent < this.readTimeout && this.timeLeft > 0) return isDue;
      if (silent >= this.readTimeout) this.onTimeout?.();
      stream.destroy(this.ending ? undefined : new Error('Query read timeout'));
      return isDue;
    };
    ticker.add(tick);
    this.once('end', () => {
      ticker.delete(tick);
    });
  }
}

/** One timer for all connections, and none while no response is due: an idle process sleeps. */
class Ticker {
  /** Each returns whether a response is due. */
  private readonly ticks = new Set<() => boolean>();
  private timer?: NodeJS.Timeout;

  add(tick: () => boolean): void {
    this.ticks.add(tick);
    this.wake();
  }

  delete(tick: () => boolean): void {
    this.ticks.delete(tick);
  }

  /** Called when a response becomes due. */
  wake(): void {
    this.timer ??= setInterval(() => {
      let isDue = false;
      for (const tick of this.ticks) isDue = tick() || isDue;
      if (isDue) return;
      clearInterval(this.timer);
      this.timer = undefined;
    }, INTERVAL).unref();
  }
}

const ticker = new Ticker();

function withCurrentUrl(config?: string | ClientConfig): string | ClientConfig | undefined {
  const url = typeof config === 'object' ? config.currentUrl?.() : undefined;
  return url === undefined ? config : { ...(config as ClientConfig), connectionString: url };
}
