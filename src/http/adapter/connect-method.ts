import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeLingering } from './lingering-close.js';
import { haveLeft, openResponses } from './pipelining.js';

/**
 * Lets a CONNECT take the way of every request, at whose end it is refused with 405. Node alone would close the
 * connection. The target is not a path, so it is replaced by the one that stands for the whole server.
 */
export function handleConnect(server: Server): void {
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    void haveLeft(openResponses(socket)).then(() => {
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
