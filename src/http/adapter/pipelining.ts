import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface PipeliningLimits {
  /** Requests of one connection that run at a time. The others wait, and the connection is not read meanwhile. */
  readonly running: number;
  /** Requests that wait in the whole process. The connection that exceeds it is cut. */
  readonly waiting: number;
}

const LIMITS: PipeliningLimits = { running: 32, waiting: 20_000 };
/** Requests given up in one turn of the event loop. */
const SLICE = 100;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  /** In their order: those that run, and those that wait behind them. */
  readonly running: ServerResponse[];
  readonly waiting: Exchange[];
  /** The last request, where its response has left before its body had come. */
  halfRead?: IncomingMessage;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Bounds what requests sent without waiting for responses (RFC 9112, section 9.3.2) can take. Node bounds only the
 * bytes of unsent responses: it parses every request of a packet, which may be more than a thousand, and starts it.
 */
export function limitPipelining(server: Server, limits: PipeliningLimits = LIMITS): void {
  const [application] = server.listeners('request') as RequestListener[];
  const givenUp: Exchange[] = [];
  let waitingInAll = 0;

  function arrive(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = connections.get(socket) ?? connect(socket);
    if (socket.destroyed) giveUp([{ request, response }]);
    else if (connection.running.length < limits.running) run(connection, { request, response });
    else wait(connection, { request, response });
  }

  function connect(socket: Socket): Connection {
    const connection: Connection = { running: [], waiting: [] };
    connections.set(socket, connection);
    // Node resumes reading whenever a response has left.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      const waiting = connection.waiting.splice(0);
      waitingInAll -= waiting.length;
      giveUp(waiting);
      setImmediate(closeAll, connection.running);
    });
    return connection;
  }

  function run(connection: Connection, { request, response }: Exchange): void {
    connection.running.push(response);
    response.once('close', () => {
      leave(connection, request, response);
    });
    application?.(request, response);
  }

  function wait({ waiting }: Connection, exchange: Exchange): void {
    const { socket } = exchange.request;
    waiting.push(exchange);
    waitingInAll += 1;
    if (waitingInAll > limits.waiting) socket.destroy();
    else socket.pause();
  }

  function leave(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { running, waiting } = connection;
    running.splice(running.indexOf(response), 1);
    connection.halfRead = request.complete ? undefined : request;
    const next = request.socket.destroyed ? undefined : waiting.shift();
    if (!next) return;
    waitingInAll -= 1;
    run(connection, next);
    if (waiting.length === 0) request.socket.resume();
  }

  /** Nobody waits for these any more. They do not run, and leave their line of log and their sample. */
  function giveUp(exchanges: readonly Exchange[]): void {
    if (exchanges.length === 0) return;
    if (givenUp.length === 0) setImmediate(endSome);
    for (const exchange of exchanges) givenUp.push(exchange);
  }

  function endSome(): void {
    for (const { request, response } of givenUp.splice(0, SLICE)) {
      application?.(request, response);
      response.destroy();
      response.emit('close');
    }
    if (givenUp.length > 0) setImmediate(endSome);
  }

  server.removeAllListeners('request').on('request', arrive);
}

/** Node 20 leaves out the responses that were not the next to be sent. */
function closeAll(responses: readonly ServerResponse[]): void {
  for (const response of [...responses]) {
    if (response.closed) continue;
    response.destroy();
    response.emit('close');
  }
}

/** The responses that a connection still owes, in their order. */
export function openResponses(socket: Socket): ServerResponse[] {
  const { running = [], waiting = [] } = connections.get(socket) ?? {};
  return [...running, ...waiting.map(({ response }) => response)];
}

/** Whether the last request has its response already, but its body has not come. */
export const isHalfRead = (socket: Socket): boolean => connections.get(socket)?.halfRead?.complete === false;

/** Resolves when these responses have left, or the connection has ended. */
export async function haveLeft(responses: readonly ServerResponse[]): Promise<void> {
  await Promise.all(responses.map((response) => new Promise((resolve) => response.once('close', resolve))));
}
