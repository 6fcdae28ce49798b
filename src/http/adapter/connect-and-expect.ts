import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeLingering } from './lingering-close.js';
import { allSent, openResponses } from './pipelining.js';

/** Passes a CONNECT through the pipeline, which responds with 405; Node alone closes the connection. Its target is not a path. */
export function handleConnect(server: Server): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    void allSent(openResponses(socket)).then(() => {
      if (!socket.writable) return;
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      closeLingering(socket);
      response.once('finish', () => {
        socket.destroySoon();
      });
      request.url = '*';
      server.emit('request', request, response);
    });
  });
}

/**
 * Passes requests with an `Expect` through the pipeline. 100 Continue is sent when the body is first read, which is after
 * the key check. Other expectations are ignored, as RFC 9110, section 10.1.1 allows; Node alone responds with a bare 417.
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
  // Without the 100 the client may or may not send the body.
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
