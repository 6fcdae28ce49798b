import type { Server } from 'node:http';

/**
 * Lets requests with an `Expect` other than `100-continue` take the way of every request. Node alone would answer
 * them with a bare 417, which a server may but need not do (RFC 9110, section 10.1.1).
 */
export function ignoreUnknownExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
