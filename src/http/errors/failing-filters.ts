import type { ArgumentsHost } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { ExceptionsHandler } from '@nestjs/core/exceptions/exceptions-handler.js';
import type { Request } from 'express';

type Filters = Parameters<ExceptionsHandler['setCustomFilters']>[0];
type Filter = Filters[number]['func'];

/** Requests for which a filter has failed already: no filter is asked again if that happens a second time. */
const failed = new WeakSet<Request>();

/**
 * Nest leaves the rejection of an asynchronous filter unhandled, which ends the process, and what the last filter throws
 * to Express, which shows its stack. Here the error of a filter goes through the filters itself.
 */
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its handler below
const { setCustomFilters } = ExceptionsHandler.prototype;

ExceptionsHandler.prototype.setCustomFilters = function (this: ExceptionsHandler, filters: Filters): void {
  const fail = (error: unknown, host: ArgumentsHost) => {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    if (failed.has(request)) {
      BaseExceptionFilter.prototype.catch.call(this, error, host);
      return;
    }
    failed.add(request);
    http.getNext<(error: unknown) => void>()(error ?? new Error(String(error))); // without one it would ask the next route
  };
  setCustomFilters.call(
    this,
    filters.map((filter) => ({ ...filter, func: handled(filter.func, fail) })),
  );
};

function handled(filter: Filter, fail: (error: unknown, host: ArgumentsHost) => void): Filter {
  return (exception, host: ArgumentsHost): unknown => {
    try {
      const result: unknown = filter(exception, host);
      return result instanceof Promise
        ? result.catch((error: unknown) => {
            fail(error, host);
          })
        : result;
    } catch (error) {
      fail(error, host);
    }
  };
}
