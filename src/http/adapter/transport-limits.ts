import { Logger } from '@nestjs/common';
import type { Server, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { openResponses } from './pipelining.js';
import { minutes, seconds } from '../../kernel/clock/duration.js';

/** What a server is made with. */
export const SERVER_OPTIONS: ServerOptions = {
  requireHostHeader: false, // refused further on, with an Error and all headers: guards/host.guard.ts
  maxHeaderSize: 16_384, // bytes, the request line included: beyond it 431
  connectionsCheckingInterval: seconds(1), // how exact the time-outs are
};

/** A client that takes not one byte of what it asked for in this time does not get the rest. */
const STALLED = seconds(60);

/** Bounds what slow or silent clients can hold: time for the headers, for a whole request, and connections in all. */
export function limitTransport(server: Server, maxConnections: number): void {
  server.headersTimeout = seconds(15);
  server.requestTimeout = seconds(30);
  // Longer than proxies keep theirs, or one would send a request just as the connection is closed here.
  server.keepAliveTimeout = seconds(65);
  server.setTimeout(STALLED, endUnlessWorking);
  server.maxConnections = maxConnections;
  let told = -Infinity;
  server.on('drop', () => {
    if (performance.now() - told < minutes(1)) return; // a flood of connections is not to be one of lines too
    told = performance.now();
    new Logger('Transport').warn(
      `MAX_CONNECTIONS: ${maxConnections} are open, further ones are closed at once.`,
    );
  });
}

/** A connection is silent also while a handler works, or between two events of a stream. */
function endUnlessWorking(socket: Socket): void {
  const isWorking = socket.writableLength === 0 && openResponses(socket).length > 0;
  if (!isWorking) socket.destroy();
}
