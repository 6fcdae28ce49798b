import { ValidationFailed } from '../errors/common.errors.js';
import { bodyError, type FieldError, type Path, shown, unknownError } from '../errors/field-error.js';
import { type Argument, invalid, root } from './field-errors.js';

/**
 * The properties whose names every object has, such as `constructor`. Nest removes some of them in silence, and class-validator
 * takes others for properties with rules.
 */
export const reservedNames = (value: object, argument: Argument): FieldError[] =>
  Object.keys(value)
    .filter((name) => name in Object.prototype || name === 'prototype')
    .map((name) => unknownError(argument.type === 'query' ? 'query' : 'body', [...root(argument), name]));

/** The integers beyond ±(2^53 - 1) in untyped objects and in arrays, where nothing would keep them exact. */
export function* inexactIntegers(value: unknown, argument: Argument, path: Path = []): Generator<FieldError> {
  if (typeof value !== 'object' || value === null) return;
  const isUntyped = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  for (const [name, item] of Object.entries(value) as [string, unknown][]) {
    const inside = [...path, name];
    if (isUntyped && typeof item === 'bigint') yield outOfRange([...root(argument), ...inside], argument);
    else yield* inexactIntegers(item, argument, inside);
  }
}

const outOfRange = (path: Path, argument: Argument): FieldError =>
  invalid(path, 'range', `${shown(path)} must be from -(2^53 - 1) to 2^53 - 1`, argument);

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
