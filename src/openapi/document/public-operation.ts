import type { OperationObject } from './openapi-types.js';

/** Removes the key from an operation on which `@Public()` has left an empty requirement. */
export function markPublic(operation: OperationObject): void {
  if (operation.security?.some((requirement) => Object.keys(requirement).length === 0))
    operation.security = [];
}
