import { Logger } from '@nestjs/common';
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { lastResponse } from './in-turn.js';
import { minutes, seconds } from '../../kernel/clock/duration.js';

export const SERVER_OPTIONS: ServerOptions = {
  requireHostHeader: false, // guards/host.guard.ts responds with an Error and all headers
  maxHeaderSize: 16_384, // bytes, the request line included: beyond it 431
  connectionsCheckingInterval: seconds(1), // precision of the timeouts
};

/** For a client that reads nothing of its response. */
const SOCKET_TIMEOUT = seconds(60);

/** Bounds slow and silent clients: time for headers, for a request, and the number of connections. */
export function limitTransport(server: Server, maxConnections: number): void {
  server.headersTimeout = seconds(15);
  server.requestTimeout = seconds(30);
  // Longer than that of proxies; otherwise one may send a request while this side closes.
  server.keepAliveTimeout = seconds(65);
  server.setTimeout(SOCKET_TIMEOUT, closeIdle);
  server.maxConnections = maxConnections;
  let loggedAt = -Infinity;
  server.on('drop', () => {
    if (performance.now() - loggedAt < minutes(1)) return; // not one line per connection
    loggedAt = performance.now();
    new Logger('Transport').warn(
      `MAX_CONNECTIONS: ${maxConnections} are open; further ones are closed at once.`,
    );
  });
}

/** A connection is silent too while a handler works, or between two events of a stream. */
function closeIdle(socket: Socket): void {
  const isWorking = socket.writableLength === 0 && lastResponse(socket)?.closed === false;
  if (!isWorking) socket.destroy();
}
