import type { IsolationLevel } from '../../data/database/run-transaction.js';

export interface IdempotentOptions {
  /**
   * The isolation level of the handler's transactions, for requests with and without an `Idempotency-Key`.
   */
  readonly isolation?: IsolationLevel;
}

export const IDEMPOTENT = 'idempotent';
const UNIT_OF_WORK = 'unit-of-work';

/** The options of a handler's `@Idempotent()`, if it has one. */
export const idempotentOptions = (handler: object): IdempotentOptions | undefined =>
  Reflect.getMetadata(IDEMPOTENT, handler) as IdempotentOptions | undefined;

/** Notes that a handler takes a unit of work. Here, because `@Idempotent()` asks from below. */
export function markUnitOfWork(controller: object, name: string | symbol | undefined): void {
  Reflect.defineMetadata(UNIT_OF_WORK, true, controller, String(name));
}

export const takesUnitOfWork = (controller: object, name: string | symbol): boolean =>
  Reflect.getMetadata(UNIT_OF_WORK, controller, String(name)) === true;
