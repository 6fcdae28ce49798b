import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** The last response that a request has asked for. */
  last: ServerResponse;
  /** Requests that have not begun. */
  waiting: number;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Runs the requests of one connection one at a time, and reads no further while one waits. Node starts all pipelined
 * requests (RFC 9112, section 9.3.2) of a packet, which may be more than a thousand.
 */
export function inTurn(application: RequestListener): RequestListener {
  return (request, response) => {
    const connection = connections.get(request.socket);
    if (!connection) open(request.socket, response);
    else if (!connection.last.closed) {
      wait(connection, request, () => {
        application(request, response);
      });
      connection.last = response;
      return;
    } else connection.last = response;
    application(request, response);
  };
}

function open(socket: Socket, first: ServerResponse): void {
  const connection: Connection = { last: first, waiting: 0 };
  connections.set(socket, connection);
  socket.on('resume', () => {
    if (connection.waiting > 0) socket.pause(); // Node resumes reading after each response
  });
}

function wait(connection: Connection, { socket }: IncomingMessage, run: () => void): void {
  connection.waiting += 1;
  socket.pause();
  connection.last.once('close', () => {
    connection.waiting -= 1;
    if (socket.destroyed) return;
    if (connection.waiting === 0) socket.resume();
    run();
  });
}

/** The response to the last request of a connection. */
export const lastResponse = (socket: Socket): ServerResponse | undefined => connections.get(socket)?.last;
