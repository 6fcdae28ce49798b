import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import { isMarked, perHandler } from './per-handler.js';

const PUBLIC = Symbol('public');

/**
 * A controller or route that needs no key. Under `/v1` its requests count against the client's key or,
 * without a valid one, address. Outside `/v1` they do not count (docs/rate-limits.md).
 */
export const Public = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));

export const isPublicHandler = isMarked(PUBLIC);

/** Whether the route is `@Public()`. */
export const isPublic = perHandler(isPublicHandler);

/** Whether the request is for a public route outside `/v1`. */
export const isOutsideApi = (context: ExecutionContext): boolean =>
  !context.switchToHttp().getRequest<Request>().path.startsWith('/v1/') && isPublic(context);
