import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { ApiKeyPrincipal } from './principal.js';

/** The principal of the key a request came with, in a handler behind the key check. */
export const CurrentPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext): ApiKeyPrincipal => {
    const { principal } = context.switchToHttp().getRequest<Request>();
    if (principal?.kind !== 'key') throw new Error('This route lets callers without a key through.');
    return principal;
  },
);
