import type { ExecutionContext } from '@nestjs/common';
import { uncountedOn } from './uncounted.decorator.js';

const SKIP = 'THROTTLER:SKIPdefault';
const LIMIT = 'THROTTLER:LIMITdefault';

/** What `@Throttle()` and `@SkipThrottle()` of `@nestjs/throttler` have left on a route or its controller. */
export interface RouteLimit {
  readonly skipped: boolean;
  readonly limited: boolean;
  readonly uncounted: ReturnType<typeof uncountedOn>;
}

const known = new WeakMap<object, RouteLimit>();

/** Read once per route: reflection on every request would cost more than the decision. */
export function routeLimitOf(context: ExecutionContext): RouteLimit {
  const handler = context.getHandler();
  let route = known.get(handler);
  if (!route) known.set(handler, (route = read([handler, context.getClass()])));
  return route;
}

function read(places: readonly object[]): RouteLimit {
  const first = (key: string): unknown =>
    places.map((place) => Reflect.getMetadata(key, place) as unknown).find((value) => value !== undefined);
  const [handler] = places;
  return {
    skipped: first(SKIP) === true,
    limited: first(LIMIT) !== undefined,
    uncounted: handler && uncountedOn(handler),
  };
}
