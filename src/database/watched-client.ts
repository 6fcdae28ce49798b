import pg from 'pg';
import { seconds } from '../kernel/clock/duration.js';

/** A little more than PostgreSQL's own limit for a statement, so that it can still say so itself. */
export const SILENCE = seconds(1.5);
const LOOK = seconds(0.125);

/** The parts of a client that its types leave out. */
interface Inside {
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error?: Error): void } };
  readonly readyForQuery: boolean | null;
}

/**
 * A connection that gives up on a server which has gone silent while an answer is due: frozen, or cut off. It looks
 * now and then whether anything has come, for all queries of the connection together: `pg`'s `query_timeout` sets a
 * timer and copies the query each time (docs/performance.md). What is sent does not count, so that it holds however
 * many queries are sent ahead.
 */
export class WatchedClient extends pg.Client {
  /** Called when the server has gone silent. */
  onSilence?: () => void;
  private ending = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // The query and the pool hear of a lost connection in ways of their own; one in between must not end the process.
    this.on('error', () => undefined);
    this.once('connect', () => {
      this.watch();
    });
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.ending = true; // a frozen server does not say goodbye either
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }

  private watch(): void {
    const inside = this as unknown as Inside; // the types name neither the socket nor the state
    const { stream } = inside.connection;
    let heard = 0;
    let silentFor = 0;
    const looking = setInterval(() => {
      const due = this.ending || !inside.readyForQuery;
      silentFor = due && stream.bytesRead === heard ? silentFor + LOOK : 0;
      heard = stream.bytesRead;
      if (silentFor <= SILENCE) return;
      this.onSilence?.();
      stream.destroy(this.ending ? undefined : new Error('Query read timeout'));
    }, LOOK).unref();
    this.once('end', () => {
      clearInterval(looking);
    });
  }
}
