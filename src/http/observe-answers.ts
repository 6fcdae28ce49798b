import type { Request } from 'express';
import type { Clock } from '../kernel/clock/clock.js';
import type { Step } from './adapter/at-arrival.js';

/** What nginx writes of a client that did not wait for its answer; no such status is ever sent. */
const CLIENT_GONE = 499;

/** A request whose answer has been sent, or whose client has gone. */
export interface Answered {
  readonly request: Request;
  /** The pattern of its route, such as `/v1/pets/:petId`; `none` where no route took it. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds from the request's head to the last byte of the answer. */
  readonly duration: number;
  /** Whether the answer was sent to its end. */
  readonly complete: boolean;
}

export type Observer = (answered: Answered) => void;

/** Tells the observers of every request, once. */
export function observeAnswers(clock: Clock, observers: readonly Observer[]): Step {
  return (request, response) => {
    const start = clock.elapsed();
    response.once('close', () => {
      const answered = {
        request,
        route: routeOf(request),
        status: response.headersSent ? response.statusCode : CLIENT_GONE,
        duration: clock.elapsed() - start,
        complete: response.writableFinished,
      };
      for (const observe of observers) observe(answered);
    });
  };
}

function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown }; // Express leaves it untyped
  return typeof path === 'string' ? path : 'none';
}
