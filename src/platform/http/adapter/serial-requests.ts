import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** The response to the newest request. */
  last: ServerResponse;
  /** Requests that have not started. */
  waiting: number;
}

/** What Node.js keeps for a connection; `onIncoming` makes a request and a response of each head that the parser has read. */
interface ParsedSocket extends Socket {
  readonly parser?: { onIncoming: (request: IncomingMessage) => number } | null;
}

/** Requests of a connection that are kept at a time. Nobody has to pipeline: RFC 9112, section 9.3.2. */
const MAX_PIPELINED = 32;

const connections = new WeakMap<Socket, Connection>();

/**
 * Runs the requests of a connection one at a time, each in a pass of the event loop of its own, and stops reading while one waits.
 * Node.js would start all pipelined requests (RFC 9112, section 9.3.2) of a packet at once, possibly more than a thousand, and keeps
 * two objects for each: the 32nd is therefore the last one of its connection.
 */
export function serialRequests(application: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket) ?? open(socket, response);
    const { last } = connection;
    connection.last = response;
    if (isFaultyFraming(request)) makeLast(socket, response);
    if (last === response || last.closed) {
      application(request, response);
      return;
    }
    wait(connection, socket, last, () => {
      if (!response.writableEnded) application(request, response); // otherwise client-errors.ts has responded
    });
    if (connection.waiting === MAX_PIPELINED - 1) makeLast(socket, response);
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

/** HTTP/1.0 has no chunks: where one server sees one request, another sees two (RFC 9112, section 6.1). */
const isFaultyFraming = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;

/**
 * Closes the connection after a response, and makes no further request of what has been read already. To pause or to stop reading
 * comes too late: Node.js parses all that it has read before anything else runs.
 */
function makeLast(socket: ParsedSocket, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  if (socket.parser)
    socket.parser.onIncoming = (request) => {
      Object.assign(request, { upgrade: false }); // otherwise Node.js closes the connection at once, for CONNECT
      return 0;
    };
}

/** The response to the last request of a connection. */
export const lastResponse = (socket: Socket): ServerResponse | undefined => connections.get(socket)?.last;

/** Whether a request of a connection waits for the response to an earlier one. Until then nothing is read. */
export const hasWaiting = (socket: Socket): boolean => (connections.get(socket)?.waiting ?? 0) > 0;
