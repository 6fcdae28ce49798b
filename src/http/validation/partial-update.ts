import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { bodyError } from '../../kernel/errors/field-error.js';
import { dtoSchema } from './dto-schema.js';

const partial = new WeakSet<object>();

/** Marks the body of a PATCH for the validation pipe, which does not get the request. */
export function markPartial(body: unknown): void {
  if (isObject(body)) partial.add(body);
}

export const isPartial = (body: object): boolean => partial.has(body);

/**
 * Removes from an instance the properties that its body does not have: a PATCH leaves them unchanged (RFC 7396), but
 * `PartialType()` inherits the defaults of its class.
 */
export function withoutDefaults(instance: object, body: object): object {
  const sentAs = new Map(
    Array.from(dtoSchema(instance.constructor) ?? [], ([sent, { name }]) => [name, sent]),
  );
  for (const [name, value] of Object.entries(instance)) {
    const given = (body as Record<string, unknown>)[sentAs.get(name) ?? name];
    if (given === undefined) Reflect.deleteProperty(instance, name);
    else if (isObject(given) && isObject(value) && !Array.isArray(given)) withoutDefaults(value, given);
  }
  return instance;
}

const demanding = new WeakSet<object>();

/** Marks the DTO of an update: a body without any of its properties is invalid. */
export const AtLeastOneProperty = (): ClassDecorator => (dto) => {
  demanding.add(dto);
};

/** @throws ValidationFailed if an `@AtLeastOneProperty()` DTO has none */
export function expectSomeProperty(instance: object): void {
  const dto = instance.constructor;
  if (!demanding.has(dto) || Object.values(instance).some((value) => value !== undefined)) return;
  const names = [...(dtoSchema(dto)?.keys() ?? [])].join(', ');
  const message = `The body must have at least one of ${names}`;
  throw new ValidationFailed([bodyError([], { code: 'required', message })]);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
