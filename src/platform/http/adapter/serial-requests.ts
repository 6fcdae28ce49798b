import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** The response to the newest request. */
  last: ServerResponse;
  /** Requests that have not started. */
  waiting: number;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Runs the requests of a connection one at a time, and stops reading while one waits. Node would start all pipelined requests
 * (RFC 9112, section 9.3.2) of a packet at once, possibly more than a thousand.
 */
export function serialRequests(application: RequestListener): RequestListener {
  return (request, response) => {
    const connection = connections.get(request.socket);
    if (!connection) open(request.socket, response);
    else if (!connection.last.closed) {
      wait(connection, request, () => {
        if (!response.writableEnded) application(request, response); // otherwise client-errors.ts has responded
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
    if (connection.waiting > 0) socket.pause(); // Node resumes the socket after each response
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
