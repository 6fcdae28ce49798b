import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ErrorMappers } from '../../kernel/errors/error-mappers.js';
import { ErrorFilter } from './error.filter.js';
import './failing-filters.js';

@Global()
@Module({
  providers: [ErrorMappers, { provide: APP_FILTER, useClass: ErrorFilter }],
  exports: [ErrorMappers],
})
export class ErrorsModule {}
