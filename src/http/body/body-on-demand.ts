import type { Request } from 'express';
import { readJson } from './read-json.js';

/**
 * Makes `request.body` read and parse the body when a handler's `@Body()` asks for it, which is after every guard:
 * nobody without a key gets a byte parsed. Nest awaits the promise before the validation pipe sees the value.
 *
 * An interceptor would do the same, but Nest wraps every route in RxJS as soon as there is one, the routes without
 * a body too (docs/performance.md).
 */
export function readBodiesOnDemand({ request }: { request: object }): void {
  Object.defineProperty(request, 'body', {
    configurable: true,
    get(this: Request & { [BODY]?: Promise<unknown> }): Promise<unknown> {
      return (this[BODY] ??= readJson(this));
    },
  });
}

const BODY = Symbol('body');
