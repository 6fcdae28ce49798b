import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { SECURITY_SCHEME } from '../openapi/decorators/operation-marks.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { InsufficientScope } from './auth.errors.js';
import { declareScope, type Scope } from './scopes.js';

const REQUIRED_SCOPES = 'auth:required-scopes';

/** The scopes that a handler requires, if any. */
export const requiredScopes = (handler: object): readonly Scope[] =>
  (Reflect.getMetadata(REQUIRED_SCOPES, handler) as readonly Scope[] | undefined) ?? [];

/**
 * Restricts an operation to keys with all of these scopes. Requests with other keys get 403 `insufficient_scope`. Also adds the
 * scopes to the OpenAPI document and to `petstore keys`.
 */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  scopes.forEach(declareScope);
  return applyDecorators(
    // Metadata, because it survives decorators that replace the handler.
    SetMetadata(REQUIRED_SCOPES, scopes),
    ApiSecurity(SECURITY_SCHEME, scopes),
    ApiErrors(new InsufficientScope(scopes[0])),
  );
}
