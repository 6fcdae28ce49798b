import type { Socket } from 'node:net';
import pg from 'pg';
import { seconds } from '../clock/duration.js';

/** A little more than PostgreSQL's own limit for a statement, so that it can still say so itself. */
const SILENCE = seconds(2.5);

/** The parts of a client that its types leave out. */
interface Inside {
  readonly connection: { readonly stream: Socket };
  readonly readyForQuery: boolean | null;
}

/**
 * A connection that gives up on a server which has gone silent in the middle of a query: frozen, or cut off. The
 * socket's own idle timer does it for all queries of the connection; `pg`'s `query_timeout` sets a timer and copies
 * the query each time (docs/performance.md).
 */
export class WatchedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const inside = this as unknown as Inside; // the types name neither the socket nor the state
    this.once('connect', () => {
      const { stream } = inside.connection;
      stream.setTimeout(SILENCE); // a callback of its own would be called once, and the first idle while spend it
      stream.on('timeout', () => {
        if (!inside.readyForQuery) stream.destroy(new Error('Query read timeout'));
      });
    });
  }
}
