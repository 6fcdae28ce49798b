import type { Express } from 'express';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';

/**
 * An HTTP server for an Express application. Express gives each request and response another prototype, for which V8
 * has to find or make another hidden class each time: 4 of a refusal's 50 µs, and most of an empty route's on Node 20,
 * which throws away what it has optimised. Here they are made with that prototype, so that nothing changes.
 */
export function serverFor(app: Express & RequestListener, options: ServerOptions): Server {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  app.request = below(app.request, AppRequest.prototype);
  app.response = below(app.response, AppResponse.prototype);
  return createServer({ ...options, IncomingMessage: AppRequest, ServerResponse: AppResponse }, app);
}

/** The prototype of ours, which has all that Express's has. */
function below<T extends object>(express: T, prototype: object): T {
  return Object.setPrototypeOf(prototype, express) as T;
}
