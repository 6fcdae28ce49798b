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
 * The errors of a query whose parameters are repeated. For a parameter with one value, the repetition is the error,
 * whatever rules the list of its values breaks. For one of an unknown type it is only if the list breaks a rule.
 * @param broken of the rules of the DTO
 */
export function withRepeated(query: object, dto: Type, broken: readonly FieldError[]): FieldError[] {
  const { members, lists } = factsOf(dto);
  const repeated = Object.keys(query).filter(
    (name) =>
      members.has(name) && !lists.has(name) && Array.isArray((query as Record<string, unknown>)[name]),
  );
  const wrong = repeated.filter(
    (name) => isPrimitive(designType(dto, name)) || broken.some(({ field }) => field === name),
  );
  return [...broken.filter(({ field }) => !wrong.includes(field)), ...wrong.map(once)];
}
