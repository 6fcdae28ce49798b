import { Injectable, Logger, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { minutes, seconds } from '../clock/duration.js';
import { Slots, type WaitingRequest } from '../concurrency/slots.js';
import type { ResponseTurn } from '../http/adapter/response-turn.js';
import { isMarked } from '../http/per-handler.js';
import type { ObservedResponse } from '../http/middleware/response-observer.js';
import { RateLimitConfig } from './rate-limit.config.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';

/** How long a request waits for its turn. */
const WAIT = seconds(10);
/** How long after its connection has closed a turn ends, if its handler has not come to a response. */
const AFTER_CLOSE = seconds(30);
const MAX_LOGGED = 10_000;

const SKIP_CONCURRENCY_LIMIT = 'rate-limit:skip-concurrency-limit';

/** For a route whose requests take long without working, such as a long poll: they do not count as requests at work. */
export const SkipConcurrencyLimit = (): ClassDecorator & MethodDecorator =>
  SetMetadata(SKIP_CONCURRENCY_LIMIT, true);

export const skipsConcurrencyLimit = isMarked(SKIP_CONCURRENCY_LIMIT);

class ClientTurn implements ResponseTurn {
  hasEnded = false;

  constructor(
    private readonly slots: Slots,
    private readonly client: string,
  ) {}

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.slots.leave(this.client);
  }
}

/**
 * Lets each API key, and each address without one, have some requests at work in this process. Further ones wait in order,
 * without a connection to PostgreSQL, so that a burst of one client leaves time and connections to the others. A turn begins
 * after the quota and ends with the response. It does not end when the connection closes, because the work goes on.
 */
@Injectable()
export class ClientTurns {
  private readonly logger = new Logger('Concurrency');
  readonly slots: Slots | undefined;
  private readonly limit: number;
  /** The clients that the log has named in the last minute. */
  private readonly logged = new LRUCache<string, true>({ max: MAX_LOGGED, ttl: minutes(1) });

  constructor(
    { clientConcurrency }: RateLimitConfig,
    private readonly metrics: RateLimitMetrics,
  ) {
    this.limit = clientConcurrency;
    this.slots = this.limit > 0 ? new Slots({ perClient: this.limit, wait: WAIT }) : undefined;
  }

  /** Begins the turn of a request, at once or when it is next. @throws ServiceUnavailable */
  begin(request: Request, response: Response, client: string): true | Promise<true> {
    const { slots } = this;
    if (!slots) return true;
    const waiting = slots.enter(client);
    if (waiting) return this.wait(slots, waiting, request, response, client);
    request.turn = new ClientTurn(slots, client);
    return true;
  }

  /** Refuses the requests that wait: the service stops. */
  close(): void {
    this.slots?.close();
  }

  /** Ends the turn of a request whose connection has closed, if nothing else does. */
  readonly record = ({ request: { turn } }: ObservedResponse): void => {
    if (turn && !turn.hasEnded) endLater(turn);
  };

  private async wait(
    slots: Slots,
    waiting: WaitingRequest,
    request: Request,
    response: Response,
    client: string,
  ): Promise<true> {
    this.note(client, request);
    try {
      await waiting.admittedUnlessClosed(response);
      this.metrics.waited('admitted');
    } catch (error) {
      this.metrics.waited(response.destroyed ? 'closed' : 'refused');
      throw error;
    }
    request.turn = new ClientTurn(slots, client);
    if (response.destroyed) endLater(request.turn); // it closed just before
    return true;
  }

  private note(client: string, { principal }: Request): void {
    if (this.logged.has(client)) return;
    this.logged.set(client, true);
    const who = principal?.kind === 'key' ? { key: principal.id } : { address: client };
    this.logger.warn({
      ...who,
      msg: `This client has ${this.limit} requests at work in this process (CLIENT_CONCURRENCY). Further ones wait.`,
    });
  }
}

function endLater(turn: ResponseTurn): void {
  setTimeout(() => {
    turn.end();
  }, AFTER_CLOSE).unref();
}
