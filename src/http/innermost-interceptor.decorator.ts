import { type NestInterceptor, type Type, UseInterceptors } from '@nestjs/common';

/**
 * `@UseInterceptors()` for an interceptor that runs next to the handler, whatever the order of the decorators. Nest runs
 * interceptors in the order of their registration; this one registers after all decorators have run.
 */
export function UseInnermostInterceptor(interceptor: Type<NestInterceptor>): MethodDecorator {
  return (...handler) => {
    queueMicrotask(() => {
      UseInterceptors(interceptor)(...handler);
    });
  };
}
