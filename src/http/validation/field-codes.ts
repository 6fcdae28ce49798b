import * as classValidator from 'class-validator';

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

/** Names of all rules of class-validator, which it exports as constants beside their decorators. */
const builtIn = new Set(Object.values(classValidator).filter((exported) => typeof exported === 'string'));

/**
 * The stable code of a broken rule: what its decorator has as `context: { code }`, otherwise by the rule's name. A rule
 * of a module is `invalid`, and the many formats of class-validator (`isEmail`, `matches`) are `format`.
 */
export function fieldCode(rule: string, context: unknown): string {
  const own = (context as { readonly code?: unknown } | undefined)?.code;
  if (typeof own === 'string') return own;
  return byRule.get(rule) ?? (builtIn.has(rule) ? 'format' : 'invalid');
}
