import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

const factories = new WeakSet<object>();

/**
 * `createParamDecorator()` for a part of the request other than its query: the handler still refuses query parameters that
 * it does not name.
 */
export function createRequestPartDecorator(read: (request: Request) => unknown): () => ParameterDecorator {
  const factory = (_: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<Request>());
  factories.add(factory);
  return createParamDecorator(factory);
}

/** Whether a decorator with this factory reads no query. */
export const readsNoQuery = (factory: unknown): boolean =>
  typeof factory === 'function' && factories.has(factory);
