import { Inject, Req, type Type } from '@nestjs/common';
import type { Request, Response } from 'express';

/** Works around a handler, whose arguments have been checked by then. */
export interface Around {
  /** @returns what is answered: what the handler returns, or something else */
  around(request: Request, response: Response, handle: () => unknown): unknown;
}

type Handler = (...args: unknown[]) => unknown;

/**
 * What an interceptor is for, without RxJS: with an interceptor on it a route takes 20 µs more for every request, of
 * the 80 that a request takes at all (docs/performance.md). The class is provided by a global module.
 */
export function UseAround(type: Type<Around>): MethodDecorator {
  return (controller, name, descriptor) => {
    const handler = descriptor.value as Handler;
    const helper = Symbol(type.name);
    const last = (Reflect.getMetadata('design:paramtypes', controller, name) as unknown[]).length;
    Inject(type)(controller, helper);
    Req()(controller, name, last); // behind the handler's own parameters
    const around = function (this: Record<symbol, Around>, ...args: unknown[]): unknown {
      const request = args[last] as Request & { res: Response };
      const handle = () => handler.apply(this, args.slice(0, last));
      return this[helper]?.around(request, request.res, handle);
    };
    descriptor.value = withMetadata(around, handler) as typeof descriptor.value;
  };
}

/** Other decorators have left theirs on the handler, and Nest knows it by its name. */
function withMetadata(around: object, handler: Handler): object {
  for (const key of Reflect.getMetadataKeys(handler) as string[]) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), around);
  }
  return Object.defineProperty(around, 'name', { value: handler.name });
}
