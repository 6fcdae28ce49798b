import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { requestParameter } from '../../http/core/request-parameter.js';
import { idempotentOptions, markUnitOfWork } from '../idempotency/idempotent.metadata.js';
import { IdempotentTransaction } from '../idempotency/idempotent-transaction.js';
import type { RequestOptions } from './change-scope.js';
import { Changes } from './changes.js';

const fromRequest = requestParameter((context): RequestOptions => {
  const { transaction: running } = context.switchToHttp().getRequest<Request>();
  // `http` knows it by its end only. There is no other kind.
  const transaction = running instanceof IdempotentTransaction ? running : undefined;
  return { transaction, idempotent: idempotentOptions(context.getHandler()) };
});

@Injectable()
class UnitOfWorkPipe implements PipeTransform<RequestOptions, Changes> {
  constructor(private readonly changes: Changes) {}

  transform(options: RequestOptions): Changes {
    return this.changes.ofRequest(options);
  }
}

/**
 * Gives a handler its unit of work, an object of the request. With `@Idempotent()` and an `Idempotency-Key`,
 * what is written through it commits together with the stored response, or not at all. Otherwise each call
 * commits by itself. Calls that are begun side by side run one after the other.
 */
export const UnitOfWork = (): ParameterDecorator => (target, name, index) => {
  markUnitOfWork(target, name);
  fromRequest(UnitOfWorkPipe)(target, name, index);
};
