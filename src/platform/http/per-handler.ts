import type { ExecutionContext, Type } from '@nestjs/common';

/**
 * Works a value out once for each handler: metadata does not change after the start. An inherited handler has a value for each
 * class, because decorators of the class count too.
 */
export function perHandler<T>(
  workOut: (handler: object, controller: Type) => T,
): (context: ExecutionContext) => T {
  const known = new WeakMap<Type, WeakMap<object, T>>();
  return (context) => {
    const controller = context.getClass();
    const handler = context.getHandler();
    let handlers = known.get(controller);
    if (!handlers) known.set(controller, (handlers = new WeakMap<object, T>()));
    let value = handlers.get(handler);
    if (value === undefined) handlers.set(handler, (value = workOut(handler, controller)));
    return value;
  };
}

/** Tells whether `SetMetadata(key, true)` decorates a handler or its class. */
export const isMarked =
  (key: string | symbol) =>
  (handler: object, controller: object): boolean =>
    [handler, controller].some((target) => Reflect.getMetadata(key, target) === true);
