import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';

const PUBLIC = Symbol('public');

/**
 * For a controller or a route that needs no key. Under `/v1` its requests are counted, by the client's address where
 * no valid key is sent; outside of it they are not (docs/decisions.md, "What is not counted").
 */
export const Public = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));

const known = new WeakMap<object, boolean>();

/** Whether the route is `@Public()`. */
export function isPublic(context: ExecutionContext): boolean {
  const handler = context.getHandler();
  let found = known.get(handler);
  if (found === undefined) {
    found = [handler, context.getClass()].some((place) => Reflect.getMetadata(PUBLIC, place) === true);
    known.set(handler, found);
  }
  return found;
}

/** Whether the request is for a public route outside of `/v1`: such a route has no quota and its own rules of content. */
export const isOutside = (context: ExecutionContext): boolean =>
  isPublic(context) && !context.switchToHttp().getRequest<Request>().path.startsWith('/v1/');
