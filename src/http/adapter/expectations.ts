import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { closeLingering } from './lingering-close.js';

/**
 * Lets requests with an `Expect` take the way of every request. 100 Continue is sent when the body begins to be read,
 * which is after the key check. Any other expectation is ignored: Node alone would respond with a bare 417, which a
 * server may but need not do (RFC 9110, section 10.1.1).
 */
export function handleExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    continueWhenRead(request, response);
    server.emit('request', request, response);
  });
}

function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read.bind(request);
  const keepAlive = response.shouldKeepAlive;
  // Without the 100 the client may send the body or leave it out: nothing tells what follows.
  response.shouldKeepAlive = false;
  closeLingering(request.socket);
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) {
      response.shouldKeepAlive = keepAlive;
      response.writeContinue();
    }
    read(size);
  };
}
