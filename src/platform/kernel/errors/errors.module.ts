import { Global, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import { ErrorMappers } from './error-mappers.js';
import { ErrorFilter } from './error.filter.js';

@Global()
@Module({
  providers: [ErrorMappers, ErrorFilter, { provide: APP_FILTER, useExisting: ErrorFilter }],
  exports: [ErrorMappers],
})
export class ErrorsModule implements OnApplicationBootstrap {
  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly filter: ErrorFilter,
  ) {}

  /**
   * Catches what a module's exception filter throws; otherwise Express would send the stack to the client.
   */
  onApplicationBootstrap(): void {
    const { httpAdapter } = this.adapters as Partial<HttpAdapterHost>; // a worker has none
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express recognises an error handler by its four parameters
    httpAdapter?.use((error: unknown, request: Request, response: Response, _: NextFunction) => {
      this.filter.respond(error, request, response);
    });
  }
}
