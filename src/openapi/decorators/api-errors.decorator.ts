import type { DomainError } from '../../kernel/errors/domain-error.js';

const ERRORS = 'openapi:errors';

/**
 * Documents the error responses that only this operation has, or only those of this controller: each by an instance,
 * which becomes the example. Those of every operation are added to all of them.
 */
export function ApiErrors(...errors: readonly DomainError[]): MethodDecorator & ClassDecorator {
  return (target: object, _name?: unknown, descriptor?: { readonly value?: unknown }) => {
    const place = (descriptor?.value as object | undefined) ?? target;
    Reflect.defineMetadata(ERRORS, [...errors, ...apiErrorsOf(place)], place);
  };
}

/** What `@ApiErrors()` says of a handler or a controller. */
export const apiErrorsOf = (place: object): readonly DomainError[] =>
  (Reflect.getMetadata(ERRORS, place) as readonly DomainError[] | undefined) ?? [];
