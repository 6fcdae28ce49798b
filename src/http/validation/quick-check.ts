import type { Type } from '@nestjs/common';
import { TransformationType, type TransformFnParams } from 'class-transformer';
import { defaultMetadataStorage as transformers } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage } from 'class-validator';
import { dtoSchema } from './dto-schema.js';

type Members = Record<string, unknown>;
type Rules = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;
type Rule = Rules[number];
type Test = (value: unknown, dto: object) => boolean;

interface Member {
  readonly name: string;
  readonly conditions: readonly Test[];
  readonly tests: readonly Test[];
  readonly convert: ((params: TransformFnParams) => unknown) | undefined;
}

/** Members, by name, of a DTO simple enough to be checked here; `null` for any other. */
type Plan = ReadonlyMap<string, Member> | null;

const plans = new WeakMap<Type, Plan>();

/**
 * The DTO of a valid value, by the same decorators and rules as class-transformer and class-validator: 0.5 µs in place
 * of 4.3 (docs/performance.md). It knows flat values only; `undefined` for whatever is invalid, nested or uses more of
 * those libraries: they decide then, and word the refusal.
 */
export function quickCheck(
  dto: Type,
  value: object,
  names: readonly string[] = Object.keys(value),
): object | undefined {
  let plan = plans.get(dto);
  if (plan === undefined) plans.set(dto, (plan = planOf(dto)));
  return plan && names.length <= plan.size ? check(plan, dto, value as Members, names) : undefined;
}

function check(
  plan: ReadonlyMap<string, Member>,
  dto: Type,
  value: Members,
  names: readonly string[],
): object | undefined {
  const made = new dto() as Members;
  for (const name of names) {
    const member = plan.get(name);
    const given = value[name];
    if (!member || (typeof given === 'object' && given !== null)) return undefined;
    made[name] = member.convert ? member.convert(paramsOf(value, name)) : given;
  }
  for (const { name, conditions, tests } of plan.values()) {
    const of = made[name];
    if (!conditions.every((holds) => holds(of, made))) continue;
    if (!tests.every((passes) => passes(of, made))) return undefined;
  }
  return made;
}

const paramsOf = (obj: Members, key: string): TransformFnParams => ({
  obj,
  key,
  value: obj[key],
  type: TransformationType.PLAIN_TO_CLASS,
  options: {},
});

function planOf(dto: Type): Plan {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  const names = [...(dtoSchema(dto)?.values() ?? [])].map(({ name }) => name);
  const isSimple =
    transformers.getStrategy(dto) === 'none' &&
    rules.every(isFlat) &&
    names.every((name) => !(name in dto.prototype) && isPlain(dto, name));
  if (names.length === 0 || !isSimple) return null;
  return new Map(names.map((name) => [name, memberOf(dto, name, rules)]));
}

function memberOf(dto: Type, name: string, rules: Rules): Member {
  const own = rules.filter(({ propertyName }) => propertyName === name);
  return {
    name,
    conditions: own.filter(isCondition).map((rule): Test => {
      const holds = rule.constraints[0] as (dto: object, value: unknown) => boolean;
      return (value, made) => holds(made, value);
    }),
    tests: own.filter((rule) => !isCondition(rule)).flatMap((rule) => testsOf(dto, rule)),
    convert: transformersOf(dto, name)[0]?.transformFn,
  };
}

function testsOf(dto: Type, { constraintCls, constraints, propertyName: property }: Rule): Test[] {
  return constraintsOf(constraintCls).map(({ instance, target }) => (value, object) => {
    const given = { targetName: target.name, property, object, value, constraints: constraints as unknown[] };
    const passes = instance.validate(value, given);
    if (typeof passes === 'boolean') return passes;
    plans.set(dto, null); // it takes its time after all: from now on class-validator alone asks it
    passes.catch(() => undefined);
    return false;
  });
}

const isCondition = ({ type }: Rule): boolean => type === 'conditionalValidation';

const isFlat = ({ type, each, validateIf, groups, constraintCls }: Rule): boolean =>
  (type === 'conditionalValidation' || (type === 'customValidation' && isSynchronous(constraintCls))) &&
  !each &&
  !validateIf &&
  ((groups as string[] | undefined) ?? []).length === 0; // its types say that there is always a list

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- class-validator's own type
const constraintsOf = (of: Function) => getMetadataStorage().getTargetValidatorConstraints(of);

/**
 * Whether rules are plain functions, as class-validator's own are. A class of somebody else's may take its time, and is
 * not to be asked twice.
 */
// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- class-validator's own type
function isSynchronous(rule: Function): boolean {
  const constraints = constraintsOf(rule);
  return (
    rule.name === 'CustomConstraint' && constraints.length > 0 && !constraints.some(({ async }) => async)
  );
}

/** Of class-transformer's decorators only `@Transform()`, once and without options, is known here. */
function isPlain(dto: Type, name: string): boolean {
  const conversions = transformersOf(dto, name);
  const others: unknown[] = [
    transformers.findTypeMetadata(dto, name),
    transformers.findExposeMetadata(dto, name),
    transformers.findExcludeMetadata(dto, name),
  ];
  return (
    conversions.length <= 1 &&
    conversions.every(({ options }) => Object.keys(options).length === 0) &&
    others.every((metadata) => metadata === undefined)
  );
}

const transformersOf = (dto: Type, name: string) =>
  transformers.findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS);
