import type { ExecutionContext, Type } from '@nestjs/common';
import { memoize } from '../../kernel/cache/memoize.js';

/**
 * Works a value out once for each handler: metadata does not change after the start. An inherited handler has
 * a value for each class, because decorators of the class count too.
 */
export function perHandler<T>(
  workOut: (handler: object, controller: Type) => T,
): (context: ExecutionContext) => T {
  const valuesOf = memoize((controller: Type) => memoize((handler: object) => workOut(handler, controller)));
  return (context) => valuesOf(context.getClass())(context.getHandler());
}

/** Tells whether `SetMetadata(key, true)` decorates a handler or its class. */
export const isMarked =
  (key: string | symbol) =>
  (handler: object, controller: object): boolean =>
    [handler, controller].some((target) => Reflect.getMetadata(key, target) === true);
