import type { DomainError } from './domain-error.js';

const ERRORS = 'openapi:errors';

/** Documents the error responses of an operation or a controller. Each instance becomes an example. */
export function ApiErrors(...errors: readonly DomainError[]): MethodDecorator & ClassDecorator {
  return (target: object, _name?: unknown, descriptor?: { readonly value?: unknown }) => {
    const place = (descriptor?.value as object | undefined) ?? target;
    Reflect.defineMetadata(ERRORS, [...errors, ...apiErrorsOf(place)], place);
  };
}

/** The errors of `@ApiErrors()` on a handler or a controller. */
export const apiErrorsOf = (place: object): readonly DomainError[] =>
  (Reflect.getMetadata(ERRORS, place) as readonly DomainError[] | undefined) ?? [];
