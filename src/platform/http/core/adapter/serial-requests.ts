import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** The response to the newest request. */
  last: ServerResponse;
  /** Requests that have not started. */
  waiting: number;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Runs the requests of a connection one at a time, in their order (RFC 9112, section 9.3.2), each in a pass
 * of the event loop of its own, and stops reading while one waits. Node.js would start all requests of a
 * packet at once.
 */
export function serialRequests(application: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    if (socket.writableEnded) {
      socket.pause(); // nothing after the last response is read or run (RFC 9112, section 9.6)
      return;
    }
    const connection = connections.get(socket) ?? open(socket, response);
    const { last } = connection;
    connection.last = response;
    if (last === response || last.closed) application(request, response);
    else
      wait(connection, socket, last, () => {
        if (!response.writableEnded) application(request, response); // otherwise client-errors.ts has responded
      });
  };
}

function open(socket: Socket, first: ServerResponse): Connection {
  const connection: Connection = { last: first, waiting: 0 };
  connections.set(socket, connection);
  socket.on('resume', () => {
    if (connection.waiting > 0) socket.pause(); // Node resumes the socket after each response
  });
  return connection;
}

function wait(connection: Connection, socket: Socket, earlier: ServerResponse, run: () => void): void {
  connection.waiting += 1;
  socket.pause();
  earlier.once('close', () => {
    connection.waiting -= 1;
    if (socket.destroyed || socket.writableEnded) return; // nobody would get its response
    if (connection.waiting === 0) socket.resume();
    setImmediate(run);
  });
}

/** The response to the last request of a connection. */
export const lastResponse = (socket: Socket): ServerResponse | undefined => connections.get(socket)?.last;

/** Whether a request of a connection waits for the response to an earlier one. Until then nothing is read. */
export const hasWaiting = (socket: Socket): boolean => (connections.get(socket)?.waiting ?? 0) > 0;
