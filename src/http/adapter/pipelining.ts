import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface PipeliningLimits {
  /** Concurrent requests of one connection. Further ones wait, and the connection is not read meanwhile. */
  readonly running: number;
  /** Waiting requests of the whole process. A connection that exceeds it is closed. */
  readonly waiting: number;
}

const LIMITS: PipeliningLimits = { running: 32, waiting: 20_000 };
/** Abandoned requests that end in one turn of the event loop: the more there are the more, for each holds memory. */
const slice = (abandoned: number) => Math.max(100, Math.ceil(abandoned / 20));

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  /** In order of arrival. */
  readonly running: ServerResponse[];
  readonly waiting: Exchange[];
  /** The last request, if its response was sent before its body received. */
  halfRead?: IncomingMessage;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Bounds pipelined requests (RFC 9112, section 9.3.2). Node bounds only the bytes of unsent responses, and starts every
 * request of a packet, which may be more than a thousand.
 */
export function limitPipelining(server: Server, limits: PipeliningLimits = LIMITS): void {
  const [application] = server.listeners('request') as RequestListener[];
  const abandoned: Exchange[] = [];
  let totalWaiting = 0;

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = connections.get(socket) ?? connect(socket);
    if (socket.destroyed) abandon([{ request, response }]);
    else if (connection.running.length < limits.running) run(connection, { request, response });
    else enqueue(connection, { request, response });
  }

  function connect(socket: Socket): Connection {
    const connection: Connection = { running: [], waiting: [] };
    connections.set(socket, connection);
    // Node resumes reading after each response.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      const waiting = connection.waiting.splice(0);
      totalWaiting -= waiting.length;
      abandon(waiting);
      setImmediate(closeAll, connection.running);
    });
    return connection;
  }

  function run(connection: Connection, { request, response }: Exchange): void {
    connection.running.push(response);
    response.once('close', () => {
      finish(connection, request, response);
    });
    application?.(request, response);
  }

  function enqueue({ waiting }: Connection, exchange: Exchange): void {
    const { socket } = exchange.request;
    waiting.push(exchange);
    totalWaiting += 1;
    if (totalWaiting > limits.waiting) socket.destroy();
    else socket.pause();
  }

  function finish(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { running, waiting } = connection;
    running.splice(running.indexOf(response), 1);
    connection.halfRead = request.complete ? undefined : request;
    const next = request.socket.destroyed ? undefined : waiting.shift();
    if (!next) return;
    totalWaiting -= 1;
    run(connection, next);
    if (waiting.length === 0) request.socket.resume();
  }

  /** Their clients have disconnected: they do not run, but are logged and counted. */
  function abandon(exchanges: readonly Exchange[]): void {
    if (exchanges.length === 0) return;
    if (abandoned.length === 0) setImmediate(endSome);
    for (const exchange of exchanges) abandoned.push(exchange);
  }

  function endSome(): void {
    for (const { request, response } of abandoned.splice(0, slice(abandoned.length))) {
      application?.(request, response);
      response.destroy();
      response.emit('close');
    }
    if (abandoned.length > 0) setImmediate(endSome);
  }

  server.removeAllListeners('request').on('request', receive);
}

/** Node 20 does not close the responses that wait behind another. */
function closeAll(responses: readonly ServerResponse[]): void {
  for (const response of [...responses]) {
    if (response.closed) continue;
    response.destroy();
    response.emit('close');
  }
}

/** The responses that a connection has not sent yet, in order. */
export function openResponses(socket: Socket): ServerResponse[] {
  const { running = [], waiting = [] } = connections.get(socket) ?? {};
  return [...running, ...waiting.map(({ response }) => response)];
}

/** Whether the last request has its response, but its body has not arrived. */
export const isHalfRead = (socket: Socket): boolean => connections.get(socket)?.halfRead?.complete === false;

/** Resolves when these responses are sent, or the connection has ended. */
export async function allSent(responses: readonly ServerResponse[]): Promise<void> {
  await Promise.all(responses.map((response) => new Promise((resolve) => response.once('close', resolve))));
}
