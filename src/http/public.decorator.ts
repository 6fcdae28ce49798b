import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import { memoize } from '../kernel/memoize.js';

const PUBLIC = Symbol('public');

/**
 * A controller or route that needs no key. Its requests under `/v1` count, by the client's address without a valid key;
 * those outside do not (docs/decisions.md, "What is not counted").
 */
export const Public = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));

/** Whether the route is `@Public()`. */
export const isPublic = (context: ExecutionContext): boolean =>
  publicRoutes(context.getClass())(context.getHandler());

/** By controller too: two of them may inherit one handler. */
const publicRoutes = memoize((controller: object) =>
  memoize((handler: object) =>
    [handler, controller].some((target) => Reflect.getMetadata(PUBLIC, target) === true),
  ),
);

/** Whether the request is for a public route outside `/v1`, which has no quota. */
export const isOutside = (context: ExecutionContext): boolean =>
  isPublic(context) && !context.switchToHttp().getRequest<Request>().path.startsWith('/v1/');
