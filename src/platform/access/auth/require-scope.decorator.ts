import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';
import { isMarked } from '../../http/core/per-handler.js';
import { SECURITY_SCHEME } from '../../http/core/operation-marks.js';
import { InsufficientScope } from './auth.errors.js';
import type { Scope } from '../keys/scopes.js';

const ANY_KEY = 'auth:any-key';
const REQUIRED_SCOPES = 'auth:required-scopes';

/** The scopes that a handler requires, if any. */
export const requiredScopes = (handler: object): readonly Scope[] =>
  (Reflect.getMetadata(REQUIRED_SCOPES, handler) as readonly Scope[] | undefined) ?? [];

/**
 * Restricts an operation to keys with all of these scopes, which the module declares in `static readonly
 * scopes`. Requests with other keys get 403 `insufficient_scope`.
 */
export function RequireScope(...scopes: [Scope, ...Scope[]]): MethodDecorator {
  return applyDecorators(
    // Metadata, because it survives decorators that replace the handler.
    SetMetadata(REQUIRED_SCOPES, scopes),
    ApiSecurity(SECURITY_SCHEME, scopes),
    ApiErrors(new InsufficientScope(scopes[0])),
  );
}

/**
 * A controller or handler that writes, and that every API key may call: that it has no `@RequireScope()` is
 * no mistake.
 */
export const AnyKey = (): ClassDecorator & MethodDecorator => SetMetadata(ANY_KEY, true);

export const isForAnyKey = isMarked(ANY_KEY);
