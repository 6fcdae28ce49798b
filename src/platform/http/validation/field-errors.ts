import type { ArgumentMetadata } from '@nestjs/common';
import * as classValidator from 'class-validator';
import type { ValidationError } from 'class-validator';
import { MAX_DETAILS } from '../../kernel/errors/common.errors.js';
import {
  bodyError,
  type FieldError,
  kindOf,
  parameterError,
  type Path,
  shown,
  unknownError,
} from '../../kernel/errors/field-error.js';

import { factsOf } from './dto-facts.js';

export type Argument = Pick<ArgumentMetadata, 'type' | 'data' | 'metatype'>;

/**
 * Flattens the errors of class-validator to one for each property: the type before other rules. Of a body
 * with thousands of them, no more than a response can show: each costs as much as its rules.
 */
export function ofValidator(
  errors: readonly ValidationError[],
  argument: Argument,
  parent: Path = root(argument),
  found: FieldError[] = [],
): FieldError[] {
  for (const error of errors) {
    if (found.length > MAX_DETAILS) break;
    const path = [...parent, error.property];
    if (error.constraints) found.push(ofProperty(error, path, argument));
    if (error.children) ofValidator(error.children, argument, path, found);
  }
  return found;
}

function ofProperty(error: ValidationError, path: Path, argument: Argument): FieldError {
  const { constraints = {}, contexts, property } = error;
  if ('whitelistValidation' in constraints)
    return argument.type === 'query'
      ? unknownParameter(error.property, path, argument)
      : unknownError('body', path);
  if (error.value === undefined) return invalid(path, 'required', `${shown(path)} is required`, argument);
  const named = Object.entries(constraints).filter(
    ([rule], _, all) => rule !== 'nestedValidation' || all.length === 1, // it says no more than the others
  );
  const rules = named.map(([rule, message]) => ({
    code: fieldCode(rule, contexts?.[rule]),
    message: message.startsWith(`${property} `) ? shown(path) + message.slice(property.length) : message,
  }));
  const [first] = [...rules.filter(({ code }) => code === 'type'), ...rules];
  const { code = 'invalid', message = `${shown(path)} is invalid` } = first ?? {};
  return invalid(
    path,
    code,
    argument.type === 'body' ? withKind(code, message, error.value) : message,
    argument,
  );
}

/** Says what was sent instead, if that is something else than the type that is expected. */
function withKind(code: string, message: string, value: unknown): string {
  const [, expected] = / must be (an? \w+)$/.exec(message) ?? [];
  const kind = kindOf(value);
  const isKind = expected === kind || (expected === 'an integer' && kind === 'a number');
  return code === 'type' && expected !== undefined && !isKind ? `${message}, not ${kind}` : message;
}

/** Generators of clients write a list as `ids[]=1&ids[]=2` or `ids[0]=1`. */
function unknownParameter(property: string, path: Path, { metatype }: Argument): FieldError {
  const error = unknownError('query', path);
  const name = /^(\w+)\[\d*\]$/.exec(property)?.[1];
  if (name === undefined || !metatype || !factsOf(metatype).lists.has(name)) return error;
  return { ...error, message: `${error.message} (send a list without brackets: ${name}=1&${name}=2)` };
}

/** @param problem such as `must be a number`, of the whole value */
export function invalidValue(code: string, problem: string, argument: Argument): FieldError {
  const path = root(argument);
  return invalid(path, code, `${path.length > 0 ? shown(path) : 'The body'} ${problem}`, argument);
}

export const notAnObject = (argument: Argument): FieldError =>
  invalidValue('type', 'must be a JSON object', argument);

/** Where the errors of an argument begin. */
export const root = ({ data }: Argument): Path => (data === undefined ? [] : [data]);

export function invalid(path: Path, code: string, message: string, { type }: Argument): FieldError {
  if (type === 'body') return bodyError(path, { code, message });
  return parameterError(type === 'param' ? 'path' : 'query', path, { code, message });
}

const CODES: Readonly<Record<string, readonly string[]>> = {
  required: ['isDefined', 'isNotEmpty'],
  type: [
    'isString',
    'isNumber',
    'isInt',
    'isBoolean',
    'isDate',
    'isArray',
    'isObject',
    'isInstance',
    'nestedValidation',
    'unknownValue',
  ],
  enum: ['isEnum', 'isIn', 'equals', 'isNotIn', 'notEquals'],
  range: ['min', 'max', 'isPositive', 'isNegative', 'isDivisibleBy', 'minDate', 'maxDate'],
  length: [
    'minLength',
    'maxLength',
    'isLength',
    'isByteLength',
    'arrayNotEmpty',
    'arrayMinSize',
    'arrayMaxSize',
    'isNotEmptyObject',
    'isEmpty',
  ],
};

const byRule: ReadonlyMap<string, string> = new Map(
  Object.entries(CODES).flatMap(([code, rules]) => rules.map((rule) => [rule, code])),
);

/** The names of class-validator's rules, which it exports as constants. */
const builtIn = new Set(Object.values(classValidator).filter((exported) => typeof exported === 'string'));

/**
 * The stable code of a broken rule: the `context: { code }` of its decorator, or one by its name. Format
 * rules of class-validator, such as `isEmail`, get `format`; custom rules get `invalid`.
 */
export function fieldCode(rule: string, context: unknown): string {
  const own = (context as { readonly code?: unknown } | undefined)?.code;
  if (typeof own === 'string') return own;
  return byRule.get(rule) ?? (builtIn.has(rule) ? 'format' : 'invalid');
}
