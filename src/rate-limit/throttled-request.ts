import type { ExecutionContext } from '@nestjs/common';
import { all, chain, type MaybeAsync } from './maybe-async.js';
import type { Hit, PlanThrottlerStorage } from './plan-throttler.storage.js';
import { wholeSeconds } from './rate-limit.headers.js';
import type { RateLimitResult, RateLimitWindow } from './rate-limit.result.js';
import { DEFAULT, type RouteThrottler } from './route-throttlers.js';

/** A request as one throttler of its route counts it. */
export interface ThrottledRequest extends Hit {
  readonly throttler: RouteThrottler;
  readonly context: ExecutionContext;
  readonly tracker: string;
}

interface HitResult extends RateLimitResult {
  readonly hit: ThrottledRequest;
}

/** Charges a request to all throttlers of its route, or to none if one refuses it. */
export function consumeAll(
  storage: PlanThrottlerStorage,
  hits: readonly ThrottledRequest[],
): MaybeAsync<Required<Pick<RateLimitResult, 'admitted' | 'throttlers'>> & Pick<RateLimitResult, 'message'>> {
  const peek = (hit: ThrottledRequest) => chain(storage.peekHit(hit), (result) => ({ ...result, hit }));
  const consume = (hit: ThrottledRequest) => chain(storage.consumeHit(hit), (result) => ({ ...result, hit }));
  return chain(all(hits.map(peek)), (peeked) => {
    const refused = peeked.some(({ admitted }) => !admitted);
    // `consume` does not charge a request beyond the limit, but it starts the block.
    const consumed = peeked.map((result) => (refused && result.admitted ? result : consume(result.hit)));
    return chain(all<HitResult>(consumed), (results) => ({
      admitted: results.every(({ admitted }) => admitted),
      throttlers: results.flatMap(windowOf),
      message: messageOf(results.find(({ admitted, hit }) => !admitted && hit.throttler.errorMessage)),
    }));
  });
}

function windowOf({ hit: { throttler, ttl, limit }, windows: [window] }: HitResult): RateLimitWindow[] {
  const name = throttler.name === DEFAULT ? 'route' : throttler.name;
  return window ? [{ ...window, name, length: Math.ceil(ttl / 1000), limit }] : [];
}

function messageOf(refused: HitResult | undefined): string | undefined {
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
