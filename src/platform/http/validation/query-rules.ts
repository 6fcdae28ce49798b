import type { Type } from '@nestjs/common';
import { type FieldError, parameterError, shown } from '../../kernel/errors/field-error.js';
import { isUtf8 } from '../core/adapter/query-parser.js';
import { designType, factsOf } from './dto-facts.js';

/** What the parser of the query makes of a parameter that is given once. */
const PRIMITIVES: readonly unknown[] = [String, Number, Boolean, BigInt];

/** The problem of a parameter that is repeated where one value is expected. */
export const GIVEN_ONCE = 'must be given once';

/**
 * Whether a parameter of this type has one value. `Object` may be anything: TypeScript emits it for unions.
 */
export const isPrimitive = (type: unknown): boolean => PRIMITIVES.includes(type);

/** Whether a value of the query, or one of a list, is not UTF-8. */
const isGarbled = (value: unknown): boolean =>
  [value].flat().some((one) => typeof one === 'string' && !isUtf8(one));

const notUtf8 = (name: string): FieldError =>
  parameterError('query', [name], {
    code: 'format',
    message: `${shown([name])} must be UTF-8 in percent-encoding`,
  });

/**
 * The errors of parameters that a handler reads without a DTO.
 * @param name of one parameter; without it, the value is the query
 */
export const notUtf8In = (value: unknown, name?: string): FieldError[] =>
  Object.entries(name === undefined ? (value ?? {}) : { [name]: value }).flatMap(([key, one]) =>
    isGarbled(one) ? [notUtf8(key)] : [],
  );

const once = (name: string): FieldError =>
  parameterError('query', [name], { code: 'type', message: `${shown([name])} ${GIVEN_ONCE}` });

/**
 * The errors of a query whose parameters are repeated, as its transforms leave them, or not UTF-8. For a
 * parameter with one value, the repetition is the error, whatever rules the list of its values breaks. For
 * one of an unknown type it is only if the list breaks a rule.
 * @param instance what the transforms of the DTO have made of the query
 * @param broken of the rules of the DTO
 */
export function withRulesOfQuery(
  query: object,
  instance: object,
  dto: Type,
  broken: readonly FieldError[],
): readonly FieldError[] {
  const isOneText = (name: string) => {
    const value = (query as Record<string, unknown>)[name];
    return typeof value === 'string' && isUtf8(value);
  };
  if (Object.keys(query).every(isOneText)) return broken;
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
  const garbled = Object.entries(query).flatMap(([name, value]) =>
    members.has(name) && isGarbled(value) ? [name] : [],
  );
  const replaced = new Set([...garbled, ...wrong].flatMap((name) => [name, members.get(name)]));
  return [
    ...broken.filter(({ field }) => !replaced.has(field)),
    ...garbled.map(notUtf8),
    ...wrong.filter((name) => !garbled.includes(name)).map(once),
  ];
}
