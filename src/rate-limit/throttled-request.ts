import type { ExecutionContext } from '@nestjs/common';
import type { Decision, QuotaWindow } from './decision.js';
import { all, chain, type MaybeAsync } from './maybe-async.js';
import type { Hit, PlanThrottlerStorage } from './plan-throttler.storage.js';
import { wholeSeconds } from './rate-limit.headers.js';
import { DEFAULT, type RouteThrottler } from './route-throttlers.js';

/** A request as one throttler of its route counts it. */
export interface ThrottledRequest extends Hit {
  readonly throttler: RouteThrottler;
  readonly context: ExecutionContext;
  readonly tracker: string;
}

/** What the throttlers of a route decide about a request. */
export interface ThrottledDecision extends Decision {
  /** What `errorMessage` of a module says to a refused client. */
  readonly message?: string;
}

interface Decided extends Decision {
  readonly hit: ThrottledRequest;
}

/** Charges a request to all throttlers of its route, or, when one refuses it, to none. */
export function consumeAll(
  storage: PlanThrottlerStorage,
  hits: readonly ThrottledRequest[],
): MaybeAsync<ThrottledDecision> {
  const peek = (hit: ThrottledRequest) => chain(storage.peekHit(hit), (decision) => ({ ...decision, hit }));
  const consume = (hit: ThrottledRequest) =>
    chain(storage.consumeHit(hit), (decision) => ({ ...decision, hit }));
  return chain(all(hits.map(peek)), (peeked) => {
    const refused = peeked.some(({ admitted }) => !admitted);
    // A request beyond the limit is not charged by `consume` either, which starts the block that is due.
    const due = peeked.map((decided) => (refused && decided.admitted ? decided : consume(decided.hit)));
    return chain(all<Decided>(due), (decided) => ({
      admitted: decided.every(({ admitted }) => admitted),
      windows: decided.flatMap(windowOf),
      message: messageOf(decided.find(({ admitted, hit }) => !admitted && hit.throttler.errorMessage)),
    }));
  });
}

function windowOf({ hit: { throttler, ttl, limit }, windows: [window] }: Decided): QuotaWindow[] {
  const name = throttler.name === DEFAULT ? 'route' : throttler.name;
  return window ? [{ ...window, name, length: Math.ceil(ttl / 1000), limit }] : [];
}

function messageOf(refused: Decided | undefined): string | undefined {
  if (!refused) return undefined;
  const { throttler, context, tracker, key, ttl, limit } = refused.hit;
  const { errorMessage } = throttler;
  if (typeof errorMessage !== 'function') return errorMessage;
  const wait = wholeSeconds(refused.windows[0]?.resetIn ?? 0);
  return errorMessage(context, {
    limit,
    ttl,
    key,
    tracker,
    totalHits: limit + 1,
    timeToExpire: wait,
    isBlocked: true,
    timeToBlockExpire: wait,
  });
}
