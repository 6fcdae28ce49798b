import type { ArgumentsHost } from '@nestjs/common';
import type { NextFunction } from 'express';
import { isPromise } from 'node:util/types';

/** An error in the handling of another one, such as in an error mapper or an exception filter. */
export class HandlingFailed extends Error {
  constructor(
    readonly failure: unknown,
    /** What was handled. */
    readonly thrown: unknown,
  ) {
    super('The handling of an error has failed.');
  }
}

/** What Nest calls for an exception. */
export type Filter = (exception: unknown, host: ArgumentsHost) => unknown;

/** A filter, whose own error is handed on as a {@link HandlingFailed}. */
export const handedOn =
  (filter: Filter): Filter =>
  (exception, host) => {
    const fail = (failure: unknown): void => {
      if (host.getType() !== 'http') throw failure;
      host.switchToHttp().getNext<NextFunction>()(new HandlingFailed(failure, exception));
    };
    try {
      const result = filter(exception, host);
      return isPromise(result) ? result.catch(fail) : result;
    } catch (failure) {
      fail(failure);
      return;
    }
  };
