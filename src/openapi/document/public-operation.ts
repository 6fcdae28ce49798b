import type { OperationObject } from '../decorators/openapi-types.js';

/** Takes the key off an operation that `@Public()` has left an empty requirement on. */
export function markPublic(operation: OperationObject): void {
  if (operation.security?.some((requirement) => Object.keys(requirement).length === 0))
    operation.security = [];
}

export const isPublicOperation = ({ security }: OperationObject): boolean => security?.length === 0;
