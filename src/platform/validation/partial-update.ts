import { ValidationFailed } from '../errors/common.errors.js';
import { bodyError } from '../errors/field-error.js';

/**
 * Removes from the instance of a DTO the properties that its body does not have: a PATCH leaves them unchanged (RFC 7396), but
 * `PartialType()` inherits the defaults of its class. An array is replaced as a whole, so its items keep their defaults.
 */
export function withoutDefaults(instance: object, body: object): void {
  for (const [name, value] of Object.entries(instance)) {
    const given = (body as Record<string, unknown>)[name];
    if (given === undefined) Reflect.deleteProperty(instance, name);
    else if (isObject(given) && isObject(value) && !Array.isArray(given)) withoutDefaults(value, given);
  }
}

const requiresProperty = new WeakSet<object>();

/** Marks the DTO of an update: a body without any of its properties is invalid. */
export const AtLeastOneProperty = (): ClassDecorator => (dto) => {
  requiresProperty.add(dto);
};

/** @throws ValidationFailed if an `@AtLeastOneProperty()` DTO has none */
export function expectSomeProperty(instance: object): void {
  if (!requiresProperty.has(instance.constructor)) return;
  if (Object.values(instance).some((value) => value !== undefined)) return;
  const message = 'The body must have at least one property';
  throw new ValidationFailed([bodyError([], { code: 'required', message })]);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
