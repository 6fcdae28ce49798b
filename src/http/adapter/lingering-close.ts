import type { Socket } from 'node:net';
import { seconds } from '../../kernel/clock/duration.js';

/** For the client to read the response, whatever it still sends. */
const TO_READ = seconds(1);

/**
 * Makes the end of a connection wait for its client: closed with bytes unread, it would be reset, and the client could
 * lose the response (RFC 9112, section 9.6). Node calls `destroySoon` after the last response.
 */
export function closeLingering(socket: Socket): void {
  socket.destroySoon = () => {
    end(socket);
  };
}

/** Sends the last text of a connection. */
export function end(socket: Socket, text = ''): void {
  socket.end(text);
  setTimeout(() => socket.destroy(), TO_READ).unref();
}
