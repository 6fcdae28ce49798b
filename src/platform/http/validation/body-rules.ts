import type { Type } from '@nestjs/common';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import {
  bodyError,
  type FieldError,
  type Path,
  shown,
  unknownError,
} from '../../kernel/errors/field-error.js';
import { inexactNumbersIn } from '../../kernel/json/inexact-number.js';
import { factsOf, nestedType } from './dto-facts.js';
import { type Argument, invalid, invalidValue, root } from './field-errors.js';

/**
 * The names that every object has, such as `constructor`. Nest removes some of them in silence, and
 * class-validator takes others for properties with rules.
 */
const isReserved = (name: string): boolean => name in Object.prototype || name === 'prototype';

/** The members of a value whose names are reserved. */
export const reservedNames = (value: object, argument: Argument): FieldError[] =>
  Object.keys(value)
    .filter(isReserved)
    .map((name) => unknown([...root(argument), name], argument));

/** The objects in a value: itself, or those in an array. */
function* objectsIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value;
  else for (const item of value) yield* objectsIn(item);
}

const unknown = (path: Path, { type }: Argument): FieldError =>
  unknownError(type === 'query' ? 'query' : 'body', path);

/**
 * Puts what was written, instead of its nearest double, where a DTO expects an integer. What is no integer
 * becomes NaN, which every rule for integers refuses.
 */
export function restoreIntegers(value: object, dto: Type): void {
  const { integers, nested } = factsOf(dto);
  const members = value as Record<string, unknown>;
  restore(value, (name) => integers.has(name));
  for (const name of integers) if (Array.isArray(members[name])) restore(members[name], () => true);
  for (const [name, metadata] of nested) {
    const member = members[name];
    for (const object of objectsIn(member)) {
      const isMap = metadata.reflectedType === Map && object === member;
      for (const item of isMap ? objectsIn(Object.values(object)) : [object]) {
        const type = nestedType(metadata, value, item);
        if (type) restoreIntegers(item, type);
      }
    }
  }
}

function restore(container: object, isInteger: (name: string) => boolean): void {
  for (const [name, { integer }] of inexactNumbersIn(container) ?? [])
    if (isInteger(name)) (container as Record<string, unknown>)[name] = integer;
}

/** The integers beyond ±(2^53 - 1) in untyped objects and in arrays, where nothing would keep them exact. */
export function* inexactIntegers(value: unknown, argument: Argument, path: Path = []): Generator<FieldError> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  const isUntyped = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    if (isUntyped && typeof item === 'bigint') yield outOfRange([...root(argument), ...path, name], argument);
    else if (typeof item === 'object') yield* inexactIntegers(item, argument, [...path, name]);
  }
}

/**
 * The same in a body without a class, or in a member of one. TypeScript does not tell `Int64` from other
 * types of a member.
 */
export function inexactInUntyped(value: unknown, argument: Argument): FieldError[] {
  if (typeof value !== 'bigint') return [...inexactIntegers(value, argument)];
  const mayBeInt64 = argument.metatype === Object && argument.data !== undefined;
  return mayBeInt64 ? [] : [invalidValue('range', SAFE_RANGE, argument)];
}

const SAFE_RANGE = 'must be from -(2^53 - 1) to 2^53 - 1';

const outOfRange = (path: Path, argument: Argument): FieldError =>
  invalid(path, 'range', `${shown(path)} ${SAFE_RANGE}`, argument);

const requiresProperty = new WeakSet<object>();

/** Marks the DTO of an update: a body without any of its properties is invalid. */
export const AtLeastOneProperty = (): ClassDecorator => (dto) => {
  requiresProperty.add(dto);
};

/** @throws ValidationFailed if an `@AtLeastOneProperty()` DTO has none */
export function assertSomeProperty(instance: object, dto: Type): void {
  if (!requiresProperty.has(dto)) return;
  if (Object.values(instance).some((value) => value !== undefined)) return;
  const message = 'The body must have at least one property';
  throw new ValidationFailed([bodyError([], { code: 'required', message })]);
}
