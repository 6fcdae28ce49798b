import { bodyError } from '../../kernel/errors/field-error.js';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';

/**
 * Refuses a PATCH that changes nothing because it names no property.
 * @throws ValidationFailed
 */
export function expectSomeChange(change: object, properties: readonly string[]): void {
  if (Object.values(change).some((value) => value !== undefined)) return;
  const message = `The body must have at least one of ${properties.join(', ')}`;
  throw new ValidationFailed([bodyError([], { code: 'required', message })]);
}
