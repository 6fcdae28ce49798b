import type { Type } from '@nestjs/common';
import { ValidationFailed } from '../errors/common.errors.js';
import { bodyError, type FieldError, type Path, shown, unknownError } from '../errors/field-error.js';
import { writtenIn } from '../json/written-number.js';
import { factsOf } from './dto-facts.js';
import { type Argument, invalid, root } from './field-errors.js';

/** Unknown members, above which no rule runs: their number is the client's choice, and each costs an error. */
export const MAX_UNKNOWN = 100;

/**
 * The names that every object has, such as `constructor`. Nest removes some of them in silence, and class-validator takes others
 * for properties with rules.
 */
export const isReserved = (name: string): boolean => name in Object.prototype || name === 'prototype';

/** The members of a value whose names are reserved. */
export const reservedNames = (value: object, argument: Argument): FieldError[] =>
  Object.keys(value)
    .filter(isReserved)
    .map((name) => unknown([...root(argument), name], argument));

/** @throws ValidationFailed if a value has more than 100 members, nested ones included, that its DTO does not take */
export function limitUnknown(value: object, dto: Type, argument: Argument): void {
  const found: FieldError[] = [];
  collectUnknown(value, dto, root(argument), argument, found);
  if (found.length > MAX_UNKNOWN) throw new ValidationFailed(found);
}

function collectUnknown(value: object, dto: Type, path: Path, argument: Argument, found: FieldError[]): void {
  const { members, nested } = factsOf(dto);
  for (const name in value) {
    if (found.length > MAX_UNKNOWN) return;
    const type = nested.get(name);
    if (!members.has(name)) found.push(unknown([...path, name], argument));
    else if (type)
      for (const [inside, item] of objectsIn((value as Record<string, unknown>)[name], [...path, name]))
        collectUnknown(item, type, inside, argument, found);
  }
}

/** An object, or those in an array. */
function* objectsIn(value: unknown, path: Path): Generator<[Path, object]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value];
  else for (const [i, item] of value.entries()) yield* objectsIn(item, [...path, String(i)]);
}

const unknown = (path: Path, { type }: Argument): FieldError =>
  unknownError(type === 'query' ? 'query' : 'body', path);

/**
 * Puts what was written, instead of its nearest double, where a DTO expects an integer. What is no integer becomes NaN, which
 * every rule for integers refuses.
 */
export function restoreIntegers(value: object, dto: Type): void {
  const { integers, nested } = factsOf(dto);
  const members = value as Record<string, unknown>;
  restore(value, (name) => integers.has(name));
  for (const name of integers) if (Array.isArray(members[name])) restore(members[name], () => true);
  for (const [name, type] of nested)
    for (const [, inside] of objectsIn(members[name], [])) restoreIntegers(inside, type);
}

function restore(container: object, isInteger: (name: string) => boolean): void {
  for (const [name, { integer }] of writtenIn(container) ?? [])
    if (isInteger(name)) (container as Record<string, unknown>)[name] = integer;
}

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

const requiresProperty = new WeakSet<object>();

/** Marks the DTO of an update: a body without any of its properties is invalid. */
export const AtLeastOneProperty = (): ClassDecorator => (dto) => {
  requiresProperty.add(dto);
};

/** @throws ValidationFailed if an `@AtLeastOneProperty()` DTO has none */
export function expectSomeProperty(instance: object, dto: Type): void {
  if (!requiresProperty.has(dto)) return;
  if (Object.values(instance).some((value) => value !== undefined)) return;
  const message = 'The body must have at least one property';
  throw new ValidationFailed([bodyError([], { code: 'required', message })]);
}
