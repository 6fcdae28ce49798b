import { IDEMPOTENCY_KEY } from '../../idempotency/idempotency-key.js';
import type { OperationObject } from '../decorators/openapi-types.js';

/** Whether an operation takes an `Idempotency-Key`, as `@Idempotent()` has it. */
export const isIdempotent = ({ parameters = [] }: OperationObject): boolean =>
  parameters.some((parameter) => 'name' in parameter && parameter.name === IDEMPOTENCY_KEY);
