import type { Socket } from 'node:net';
import { seconds } from '../../../kernel/clock/duration.js';

/** How long the client of a last response may go on sending. */
const LINGER = seconds(1);

/**
 * Ends a connection so that the client can read the response: to close a socket with unread input resets the
 * connection, and what the client has not read yet is lost (RFC 9112, section 9.6).
 */
export function endAndLinger(socket: Socket, text = ''): void {
  if (socket.writable) socket.end(text);
  setTimeout(() => socket.destroy(), LINGER).unref();
}

/**
 * Makes Node.js end a connection in this way, if the response to a request whose body has not been read is
 * its last one.
 */
export function closeLate(socket: Socket | null): void {
  if (socket)
    socket.destroySoon = () => {
      endAndLinger(socket);
    };
}
