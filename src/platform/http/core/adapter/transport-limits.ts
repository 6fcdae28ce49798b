import { Logger } from '@nestjs/common';
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpConfig } from '../http.config.js';
import { MAX_HEADERS } from '../request-head.js';
import { hasWaiting, lastResponse } from './serial-requests.js';
import { minutes, seconds } from '../../../kernel/clock/duration.js';

export const SERVER_OPTIONS: ServerOptions = {
  requireHostHeader: false, // AccessGuard checks it, and responds with a full Error
  maxHeaderSize: 16_384, // bytes, including the request line; above it 431
  connectionsCheckingInterval: seconds(1), // precision of the timeouts
};

/** For a client that does not read its response. */
const SOCKET_TIMEOUT = seconds(60);

type TransportLimits = Pick<HttpConfig, 'keepAlive' | 'maxConnections'>;

/** Bounds slow and silent clients: time for headers, for a request, and the number of connections. */
export function limitTransport(server: Server, { keepAlive, maxConnections }: TransportLimits): void {
  server.headersTimeout = seconds(15);
  server.requestTimeout = seconds(30);
  server.maxHeadersCount = MAX_HEADERS + 1; // the one too many is for AccessGuard, which refuses the request
  // Longer than the idle timeout of common proxies: one that reuses a connection must not find it closed.
  server.keepAliveTimeout = keepAlive;
  server.setTimeout(SOCKET_TIMEOUT, closeIdle);
  server.maxConnections = maxConnections;
  let loggedAt = -Infinity;
  server.on('drop', () => {
    if (performance.now() - loggedAt < minutes(1)) return; // at most one line a minute
    loggedAt = performance.now();
    new Logger('Transport').warn(
      `All ${maxConnections} connections (MAX_CONNECTIONS) are in use. New connections are closed immediately.`,
    );
  });
}

/**
 * Keeps a connection that is silent because its handler is still working or its event stream has nothing to
 * send. Not while a request waits behind it: then nothing is read, and nobody would notice that the client
 * has gone.
 */
function closeIdle(socket: Socket): void {
  const isWorking =
    socket.writableLength === 0 && !hasWaiting(socket) && lastResponse(socket)?.closed === false;
  if (!isWorking) socket.destroy();
}
