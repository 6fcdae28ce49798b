import type { Socket } from 'node:net';
import { seconds } from '../../kernel/clock/duration.js';

/** Time for the client to read the response. */
const LINGER = seconds(1);

/**
 * Delays the close of a connection: closed with unread bytes it is reset, and the client may lose the response (RFC 9112,
 * section 9.6). Node calls `destroySoon` after the last response.
 */
export function closeLingering(socket: Socket): void {
  socket.destroySoon = () => {
    end(socket);
  };
}

/** Sends the last text of a connection, and closes it after a while. */
export function end(socket: Socket, text = ''): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), LINGER).unref();
}
