import pg from 'pg';
import { markAsDatabaseError } from '../database-unavailable.js';
import { seconds } from '../../kernel/clock/duration.js';

/** A little more than PostgreSQL's own limit for a statement, so that it can still report that itself. */
export const READ_TIMEOUT = seconds(1.5);
const INTERVAL = seconds(0.125);

/** The parts of a client that its types leave out. */
interface Internals {
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error?: Error): void } };
  readonly readyForQuery: boolean | null;
}

/**
 * A connection that gives up on a server that sends nothing while a response is due, because it is frozen or cut off. A
 * timer for all queries of the connection looks whether anything has come: `pg`'s `query_timeout` sets one for each
 * query, and copies the query (docs/performance.md). What is sent does not count, so that it holds however many queries
 * are sent ahead.
 */
export class ReadTimeoutClient extends pg.Client {
  /** Called when the server has not responded in time. */
  onTimeout?: () => void;
  /** In milliseconds. A statement that may take longer has to raise it (../statement-timeout.ts). */
  readTimeout = READ_TIMEOUT;
  private ending = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The query and the pool hear of a lost connection in ways of their own; one in between must not end the process.
    this.on('error', markAsDatabaseError);
    this.once('connect', () => {
      this.watch();
    });
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.ending = true; // a frozen server does not close the connection either
    this.readTimeout = READ_TIMEOUT;
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  private watch(): void {
    const internals = this as unknown as Internals; // the types name neither the socket nor the state
    const { stream } = internals.connection;
    let read = 0;
    let waited = 0;
    const timer = setInterval(() => {
      const isDue = this.ending || !internals.readyForQuery;
      waited = isDue && stream.bytesRead === read ? waited + INTERVAL : 0;
      read = stream.bytesRead;
      if (waited <= this.readTimeout) return;
      this.onTimeout?.();
      stream.destroy(this.ending ? undefined : new Error('Query read timeout'));
    }, INTERVAL).unref();
    this.once('end', () => {
      clearInterval(timer);
    });
  }
}
