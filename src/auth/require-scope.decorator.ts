import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { SECURITY_SCHEME } from '../openapi/decorators/operation-marks.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { InsufficientScope } from './auth.errors.js';
import { declareScope, type Scope } from './scopes.js';

const REQUIRED_SCOPE = 'auth:required-scope';

/** The scope that a handler requires, if any. */
export const requiredScope = (handler: object): Scope | undefined =>
  Reflect.getMetadata(REQUIRED_SCOPE, handler) as Scope | undefined;

/**
 * Restricts an operation to keys with this scope: requests with other keys return 403 `insufficient_scope`. Feeds the
 * document too, and brings the scope to `petstore keys`.
 */
export function RequireScope(scope: Scope): MethodDecorator {
  declareScope(scope);
  return applyDecorators(
    // Metadata survives a decorator that replaces the handler.
    SetMetadata(REQUIRED_SCOPE, scope),
    ApiSecurity(SECURITY_SCHEME, [scope]),
    ApiErrors(new InsufficientScope(scope)),
  );
}
