import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

const withoutQuery = new WeakSet<object>();

/**
 * As `createParamDecorator()`, for a parameter that does not depend on the query of the request, which the
 * fingerprint of an `Idempotency-Key` then leaves out.
 */
export function requestParameter(factory: (context: ExecutionContext) => unknown) {
  const read = (_: unknown, context: ExecutionContext): unknown => factory(context);
  withoutQuery.add(read);
  return createParamDecorator(read);
}

/** Whether a parameter decorator of Nest has been made by {@link requestParameter}. */
export const ignoresQuery = (factory: object): boolean => withoutQuery.has(factory);
