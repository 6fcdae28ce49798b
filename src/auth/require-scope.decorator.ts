import { applyDecorators } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { SECURITY_SCHEME } from '../openapi/operation-marks.js';
import { ApiRefusals } from '../openapi/refusals.decorator.js';
import { InsufficientScope } from './auth.errors.js';
import { bitOf, type Scope } from './scopes.js';

interface Requirement {
  readonly scope: Scope;
  readonly bit: number;
}

const requirements = new WeakMap<object, Requirement>();

/** What a handler requires of a key, if it requires anything: known since the handler was decorated. */
export const requirementOf = (handler: object): Requirement | undefined => requirements.get(handler);

/**
 * An operation for keys with this scope: any other valid key is refused with 403 `insufficient_scope`, and the
 * document says so. Without it, any valid key may call the operation.
 */
export function RequireScope(scope: Scope): MethodDecorator {
  const remember = (_: object, __: string | symbol, { value }: { readonly value?: unknown }) => {
    requirements.set(value as object, { scope, bit: bitOf(scope) });
  };
  return applyDecorators(
    remember,
    ApiSecurity(SECURITY_SCHEME, [scope]),
    ApiRefusals(new InsufficientScope(scope)),
  );
}
