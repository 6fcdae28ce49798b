import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request } from 'express';
import { markUnitOfWork } from '../idempotency/idempotent.decorator.js';
import { Changes } from './changes.js';

const fromRequest = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>(),
);

@Injectable()
class UnitOfWorkPipe implements PipeTransform<Request, Changes> {
  /** `Changes` is resolved per request, so a unit test of a controller need not provide it. */
  constructor(private readonly modules: ModuleRef) {}

  transform({ idempotentTransaction }: Request): Changes {
    const changes = this.modules.get(Changes, { strict: false });
    return idempotentTransaction ? changes.within(idempotentTransaction) : changes;
  }
}

/**
 * Gives a handler its unit of work. With `@Idempotent()` and an `Idempotency-Key`, what is written through it commits together
 * with the stored response, or not at all. Otherwise each call commits by itself.
 */
export const UnitOfWork = (): ParameterDecorator => (target, name, index) => {
  markUnitOfWork(target, name);
  fromRequest(UnitOfWorkPipe)(target, name, index);
};
