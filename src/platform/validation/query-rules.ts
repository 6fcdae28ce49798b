import type { Type } from '@nestjs/common';
import { type FieldError, parameterError, shown } from '../errors/field-error.js';
import { designType, factsOf } from './dto-facts.js';

/** What the parser of the query makes of a parameter that is given once. */
const PRIMITIVES: readonly unknown[] = [String, Number, Boolean, BigInt];

/** The problem of a parameter that is repeated where one value is expected. */
export const GIVEN_ONCE = 'must be given once';

/** Whether a parameter of this type has one value. `Object` may be anything: TypeScript emits it for unions. */
export const isPrimitive = (type: unknown): boolean => PRIMITIVES.includes(type);

const once = (name: string): FieldError =>
  parameterError('query', [name], { code: 'type', message: `${shown([name])} ${GIVEN_ONCE}` });

/**
 * The errors of a query whose parameters are repeated, as its transforms leave them. For a parameter with one value, the repetition is
 * the error, whatever rules the list of its values breaks. For one of an unknown type it is only if the list breaks a rule.
 * @param instance what the transforms of the DTO have made of the query
 * @param broken of the rules of the DTO
 */
export function withRepeated(
  query: object,
  instance: object,
  dto: Type,
  broken: readonly FieldError[],
): FieldError[] {
  const { members, lists } = factsOf(dto);
  const isList = (object: object, name: string) => Array.isArray((object as Record<string, unknown>)[name]);
  const repeated = Object.keys(query).filter((name) => {
    const property = members.get(name);
    return property !== undefined && !lists.has(name) && isList(query, name) && isList(instance, property);
  });
  const wrong = repeated.filter(
    (name) =>
      isPrimitive(designType(dto, members.get(name) ?? name)) ||
      broken.some(({ field }) => field === (members.get(name) ?? name)),
  );
  const replaced = new Set(wrong.flatMap((name) => [name, members.get(name)]));
  return [...broken.filter(({ field }) => !replaced.has(field)), ...wrong.map(once)];
}
