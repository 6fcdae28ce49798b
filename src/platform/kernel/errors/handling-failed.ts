import type { ArgumentsHost } from '@nestjs/common';
import { ExceptionsHandler } from '@nestjs/core/exceptions/exceptions-handler.js';
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

// From here on, loading this file changes Nest's handling of filters.
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its object below
const { setCustomFilters } = ExceptionsHandler.prototype;

/**
 * What a filter throws is an error like others, with the one that it was given. Nest forgets that one, and
 * leaves a request whose filter rejects without a response.
 */
ExceptionsHandler.prototype.setCustomFilters = function (filters) {
  const guarded = filters.map((filter) => ({ ...filter, func: handedOn(filter.func) }));
  setCustomFilters.call(this, guarded);
};

type Filter = (exception: unknown, host: ArgumentsHost) => unknown;

const handedOn =
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
