import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { memoize } from '../kernel/memoize.js';
import { SECURITY_SCHEME } from '../openapi/decorators/operation-marks.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { InsufficientScope } from './auth.errors.js';
import { bitOf, type Scope } from './scopes.js';

interface Requirement {
  readonly scope: Scope;
  readonly bit: number;
}

const REQUIREMENT = 'auth:required-scope';

/** The scope that a handler requires, if any. */
export const requirementOf = memoize(
  (handler) => Reflect.getMetadata(REQUIREMENT, handler) as Requirement | undefined,
);

/**
 * Restricts an operation to keys with this scope: requests with other keys return 403 `insufficient_scope`. Feeds the
 * document too.
 */
export function RequireScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    // Metadata survives a decorator that replaces the handler.
    SetMetadata<string, Requirement>(REQUIREMENT, { scope, bit: bitOf(scope) }),
    ApiSecurity(SECURITY_SCHEME, [scope]),
    ApiErrors(new InsufficientScope(scope)),
  );
}
