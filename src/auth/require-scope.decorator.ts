import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { SECURITY_SCHEME } from '../openapi/decorators/operation-marks.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { InsufficientScope } from './auth.errors.js';
import { bitOf, type Scope } from './scopes.js';

interface Requirement {
  readonly scope: Scope;
  readonly bit: number;
}

const REQUIREMENT = 'auth:required-scope';

/** What a handler requires of a key, if it requires anything. */
export const requirementOf = (handler: object): Requirement | undefined =>
  Reflect.getMetadata(REQUIREMENT, handler) as Requirement | undefined;

/**
 * An operation for keys with this scope: any other valid key is refused with 403 `insufficient_scope`, and the
 * document says so. Without it, any valid key may call the operation.
 */
export function RequireScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    // As metadata, which a decorator that replaces the handler takes along.
    SetMetadata<string, Requirement>(REQUIREMENT, { scope, bit: bitOf(scope) }),
    ApiSecurity(SECURITY_SCHEME, [scope]),
    ApiErrors(new InsufficientScope(scope)),
  );
}
