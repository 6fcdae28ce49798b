import type { Express } from 'express';
import {
  IncomingMessage,
  type RequestListener,
  type Server,
  createServer,
  type ServerOptions,
  ServerResponse,
} from 'node:http';

const [MAJOR = 0] = process.versions.node.split('.').map(Number);

/**
 * An HTTP server for an Express application. Express gives each request and response another prototype, which makes
 * V8 before that of Node 22 throw away what it has optimised: 90 of 130 µs of an empty route. There they are made
 * with that prototype from the start. In later versions it costs little, and this would cost more.
 */
export function serverFor(app: Express & RequestListener, options: ServerOptions): Server {
  if (MAJOR >= 22) return createServer(options, app);
  const classes = {
    IncomingMessage: like(IncomingMessage, app.request),
    ServerResponse: like(ServerResponse, app.response),
  };
  return createServer({ ...options, ...classes }, app);
}

type Message = typeof IncomingMessage | typeof ServerResponse;

/** A constructor that makes what the given one makes, with another prototype. Node 20's are functions, not classes. */
function like<T extends Message>(original: T, prototype: object): T {
  function Made(this: object, ...args: unknown[]): void {
    Reflect.apply(original as unknown as () => void, this, args); // its types know it as a class only
  }
  Made.prototype = prototype;
  return Made as unknown as T; // a function that is called with `new`, which TypeScript has no words for
}
