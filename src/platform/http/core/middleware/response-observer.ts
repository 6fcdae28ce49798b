import type { Request } from 'express';
import type { Clock } from '../../../kernel/clock/clock.js';
import type { Step } from './before-routes.js';

/** Logged if the client disconnects before the response, as nginx does. Never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/** A request whose response was sent, or whose client has disconnected. */
export interface ObservedResponse {
  readonly request: Request;
  /** The pattern of its route, such as `/v1/pets/:petId`, or `none`. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds from the request's head to the last byte of the response. */
  readonly duration: number;
  /** Whether the whole response was sent. */
  readonly complete: boolean;
}

export type ResponseObserver = (observed: ObservedResponse) => void;

/** Calls the observers once for each request that has started (adapter/serial-requests.ts). */
export function observeResponses(clock: Clock, observers: readonly ResponseObserver[]): Step {
  return (request, response) => {
    const start = clock.elapsed();
    response.once('close', () => {
      const observed = {
        request,
        route: routeOf(request),
        status: response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST,
        duration: clock.elapsed() - start,
        complete: response.writableFinished,
      };
      for (const observe of observers) observe(observed);
    });
  };
}

function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown }; // Express leaves it untyped
  return typeof path === 'string' ? path : 'none';
}
