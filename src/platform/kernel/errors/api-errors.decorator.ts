import type { DomainError } from './domain-error.js';

const ERRORS = 'openapi:errors';

/** An error, or what makes it when the document is made, because it names a plan of the service. */
type Example = DomainError | (() => DomainError);

/** Documents the error responses of an operation or a controller. Each instance becomes an example. */
export function ApiErrors(...errors: readonly Example[]): MethodDecorator & ClassDecorator {
  return (target: object, _name?: unknown, descriptor?: { readonly value?: unknown }) => {
    const place = (descriptor?.value as object | undefined) ?? target;
    Reflect.defineMetadata(ERRORS, [...errors, ...examplesOf(place)], place);
  };
}

const examplesOf = (place: object): readonly Example[] =>
  (Reflect.getMetadata(ERRORS, place) as readonly Example[] | undefined) ?? [];

/** The errors of `@ApiErrors()` on a handler or a controller. */
export const apiErrorsOf = (place: object): readonly DomainError[] =>
  examplesOf(place).map((example) => (typeof example === 'function' ? example() : example));
