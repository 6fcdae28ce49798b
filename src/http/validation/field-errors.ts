import { getMetadataStorage, type ValidationError } from 'class-validator';
import * as classValidator from 'class-validator';
import { type FieldError, type Path, shown } from '../../kernel/errors/field-error.js';
import { dtoSchema } from './dto-schema.js';

export type BrokenRule = Pick<FieldError, 'code' | 'message'>;

/** Flattens the errors of class-validator, each with the path of its value. */
export function* fieldErrors(
  errors: readonly ValidationError[],
  parent: Path = [],
): Generator<{ path: Path; rule: BrokenRule }> {
  for (const error of errors) {
    const path = [...parent, sentName(error)];
    for (const rule of Object.keys(error.constraints ?? {}))
      yield { path, rule: brokenRule(error, rule, path) };
    yield* fieldErrors(error.children ?? [], path);
  }
}

function brokenRule(error: ValidationError, rule: string, path: Path): BrokenRule {
  const message = error.constraints?.[rule] ?? '';
  if (error.value === undefined && !hasOwnMessage(error, rule)) {
    return { code: 'required', message: `${shown(path)} is required` };
  }
  const { property } = error;
  const code = error.value === undefined ? 'required' : fieldCode(rule, error.contexts?.[rule]);
  const rest = message.startsWith(`${property} `) ? message.slice(property.length) : undefined;
  return { code, message: rest === undefined ? message : shown(path) + rest };
}

/** Whether the rule has a custom message, which is more precise than "is required". */
function hasOwnMessage({ target, property }: ValidationError, rule: string): boolean {
  if (!target) return false;
  const rules = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', true, false);
  return rules.some(
    ({ propertyName, name, type, message }) =>
      propertyName === property && (name ?? type) === rule && Boolean(message),
  );
}

/** The name that the client sent. */
function sentName({ target, property }: ValidationError): string {
  for (const [sent, { name }] of dtoSchema(target?.constructor) ?? []) if (name === property) return sent;
  return property;
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
 * The stable code of a broken rule: the `context: { code }` of its decorator, or one by its name. Format rules of
 * class-validator, such as `isEmail`, get `format`; custom rules get `invalid`.
 */
export function fieldCode(rule: string, context: unknown): string {
  const own = (context as { readonly code?: unknown } | undefined)?.code;
  if (typeof own === 'string') return own;
  return byRule.get(rule) ?? (builtIn.has(rule) ? 'format' : 'invalid');
}
