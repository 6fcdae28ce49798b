import { Injectable, Logger, SetMetadata } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { minutes, seconds } from '../../kernel/clock/duration.js';
import { TimeLimits } from '../../kernel/clock/time-limits.js';
import { Slots, type WaitingRequest } from '../../kernel/concurrency/slots.js';
import { releaseSlotOfStream } from '../../http/core/adapter/response-head.js';
import type { Slot } from '../../http/core/request-state.js';
import { addressOf, network } from '../../http/core/network.js';
import { isMarked } from '../../http/core/per-handler.js';
import type { ObservedResponse } from '../../http/core/middleware/response-observer.js';
import { RateLimitConfig } from './rate-limit.config.js';
import { RateLimitMetrics } from './rate-limit.metrics.js';

/** How long after its connection has closed a slot is freed, if its handler has not come to a response. */
const AFTER_CLOSE = seconds(30);
const MAX_LOGGED = 10_000;

/** Probes, which must not wait, and `/v1`, where `PlanThrottlerGuard` knows the client. */
const WITHOUT_ADDRESS = /^\/(v1\/|(health\/(live|ready)|metrics)\/?$)/;

const SKIP_CONCURRENCY_LIMIT = 'rate-limit:skip-concurrency-limit';

/**
 * For a route whose requests take long without working, such as a long poll: they do not count as requests at
 * work.
 */
export const SkipConcurrencyLimit = (): ClassDecorator & MethodDecorator =>
  SetMetadata(SKIP_CONCURRENCY_LIMIT, true);

export const skipsConcurrencyLimit = isMarked(SKIP_CONCURRENCY_LIMIT);

class ClientSlot implements Slot {
  isReleased = false;

  constructor(
    private readonly client: string,
    private readonly giveBack: (client: string) => void,
  ) {}

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.giveBack(this.client);
  }
}

/**
 * Lets each API key, and each address without one, have some requests at work in this process. Further ones
 * wait in order, without a connection to PostgreSQL, so that a burst of one client leaves time and
 * connections to the others. A request takes its slot when its body has been read, and gives it back with the
 * response. A closed connection does not free it, because the work goes on.
 */
@Injectable()
export class ClientSlots {
  private readonly logger = new Logger('Concurrency');
  readonly slots: Slots | undefined;
  private readonly limit: number;
  /** The clients whose slots become free in the next pass of the event loop, once for each slot. */
  private returned: string[] = [];
  /** The clients that the log has named in the last minute. */
  private readonly logged = new LRUCache<string, true>({ max: MAX_LOGGED, ttl: minutes(1) });

  constructor(
    { clientConcurrency }: RateLimitConfig,
    private readonly metrics: RateLimitMetrics,
    { slot: wait }: TimeLimits,
  ) {
    this.limit = clientConcurrency;
    this.slots = this.limit > 0 ? new Slots({ perClient: this.limit, wait }) : undefined;
  }

  /** Takes a slot for a request, at once or when it is next. @throws ServiceUnavailable */
  take(request: Request, response: Response, client: string): true | Promise<true> {
    const { slots } = this;
    if (!slots) return true;
    request.slot?.release(); // that of its address
    const waiting = slots.enter(client);
    if (waiting) return this.wait(slots, waiting, request, response, client);
    this.give(request, response, client);
    return true;
  }

  private give(request: Request, response: Response, client: string): void {
    const slot = (request.slot = new ClientSlot(client, this.giveBack));
    if (response.destroyed) awaitEnd(slot, response); // it closed before, so `releaseAfterClose` has not seen the slot
  }

  /**
   * Middleware that takes a slot of the address for what is outside `/v1`, even if no guard or route is there
   * for it.
   */
  readonly outsideApi = (request: Request, response: Response, next: NextFunction): void => {
    if (WITHOUT_ADDRESS.test(request.path)) {
      next();
      return;
    }
    const taken = this.take(request, response, network(addressOf(request)));
    if (taken === true) next();
    else
      taken.then(() => {
        next();
      }, next);
  };

  /** Refuses the requests that wait: the service stops. */
  close(): void {
    this.slots?.close();
  }

  /** Releases the slot of a request whose connection has closed, if nothing else does. */
  readonly releaseAfterClose = ({ request: { slot, res } }: ObservedResponse): void => {
    if (slot && !slot.isReleased) awaitEnd(slot, res);
  };

  /**
   * A slot goes at once to the next request of its client, which begins in a new pass of the event loop. If
   * none waits, it becomes free in that pass only: otherwise requests that need no I/O would all run in this
   * one.
   */
  private readonly giveBack = (client: string): void => {
    if (this.slots?.isAwaitedBy(client)) this.slots.leave(client);
    else if (this.returned.push(client) === 1) setImmediate(this.leaveAll);
  };

  private readonly leaveAll = (): void => {
    const { returned } = this;
    this.returned = [];
    for (const client of returned) this.slots?.leave(client);
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
    this.give(request, response, client);
    return true;
  }

  private note(client: string, { principal }: Request): void {
    if (this.logged.has(client)) return;
    this.logged.set(client, true);
    const isKey = principal?.kind === 'key';
    const who = isKey ? `Key ${principal.id}` : 'A client without a key';
    this.logger.warn({
      ...(isKey ? { keyId: principal.id } : { address: client }),
      msg: `${who} has ${this.limit} requests at work in this process (CLIENT_CONCURRENCY). Further ones wait.`,
    });
  }
}

/** The work of a request goes on when its connection has closed. */
function awaitEnd(slot: Slot, response: Response | undefined): void {
  if (response) releaseSlotOfStream(slot, response);
  setTimeout(() => {
    slot.release();
  }, AFTER_CLOSE).unref();
}
