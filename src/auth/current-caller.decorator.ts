import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { KeyHolder } from './caller.js';

/** The holder of the key a request came with, in a handler behind the key check. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): KeyHolder => {
  const { caller } = context.switchToHttp().getRequest<Request>();
  if (caller?.kind !== 'key') throw new Error('This route lets callers without a key through.');
  return caller;
});
