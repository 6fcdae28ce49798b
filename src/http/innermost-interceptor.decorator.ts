import { type NestInterceptor, type Type, UseInterceptors } from '@nestjs/common';

/**
 * `@UseInterceptors()` for one that is to run next to the handler, wherever it stands among the decorators. Nest runs
 * those of a handler in the order in which they were added: this one is added when all decorators have been applied, and
 * before any application reads what they left.
 */
export function UseInnermostInterceptor(interceptor: Type<NestInterceptor>): MethodDecorator {
  return (...handler) => {
    queueMicrotask(() => {
      UseInterceptors(interceptor)(...handler);
    });
  };
}
