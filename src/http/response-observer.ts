import type { Request } from 'express';
import type { Clock } from '../kernel/clock/clock.js';
import type { Step } from './request-context.middleware.js';

/** What nginx logs for a client that did not wait for its response; it is never sent. */
const CLIENT_GONE = 499;

/** A request whose response has been sent, or whose client has gone. */
export interface ObservedResponse {
  readonly request: Request;
  /** The pattern of its route, such as `/v1/pets/:petId`; `none` where no route took it. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds from the request's head to the last byte of the response. */
  readonly duration: number;
  /** Whether the response was sent to its end. */
  readonly complete: boolean;
}

export type ResponseObserver = (observed: ObservedResponse) => void;

/** Tells the observers of every request, once: also when its client has gone before it was begun (adapter/pipelining.ts). */
export function observeResponses(clock: Clock, observers: readonly ResponseObserver[]): Step {
  return (request, response) => {
    const start = clock.elapsed();
    response.once('close', () => {
      const observed = {
        request,
        route: routeOf(request),
        status: response.headersSent ? response.statusCode : CLIENT_GONE,
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
