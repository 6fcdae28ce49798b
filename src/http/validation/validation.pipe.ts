import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { validate, type ValidationError, type ValidatorOptions } from 'class-validator';
import { Config } from '../../kernel/config/config.js';
import type { FieldProblem } from '../../kernel/errors/field-problem.js';
import { ValidationFailed } from '../../kernel/errors/validation-failed.error.js';
import { dtoSchema } from './dto-schema.js';
import { knownPart, type Path } from './known-part.js';
import { isPartial, withoutDefaults } from './partial-update.js';
import { quickCheck } from './quick-check.js';
import { toInstance } from './to-instance.js';
import { unknownField } from './unknown-field.js';

const OPTIONS: ValidatorOptions = {
  stopAtFirstError: true, // of each property
  strictGroups: true, // rules of a group are for a pipe that asks for it
  forbidUnknownValues: false, // `knownPart` has found them
};

/**
 * Checks the values of handlers' parameters whose type is a DTO, by the rules of class-validator, makes instances of
 * them, and refuses what the DTO does not name. A value of any other type passes unchanged.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  constructor(private readonly config: Config) {}

  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, metatype } = metadata;
    if (type === 'custom' || !metatype || !dtoSchema(metatype)) return value;
    if (value === undefined) return nothing(metatype, metadata);
    if (!isObject(value)) throw notAnObject(metadata);
    const names = Object.keys(value);
    const quick = this.config.fastPaths ? quickCheck(metatype, value, names) : undefined;
    return quick ? finished(quick, value) : checked(value, names, metatype, metadata);
  }
}

/** No body at all: fine where nothing in it is required. */
async function nothing(dto: Type, metadata: ArgumentMetadata): Promise<object> {
  const { instance, problems } = await check({}, [], dto);
  if (problems.length > 0) throw notAnObject(metadata);
  return instance;
}

async function checked(
  value: object,
  names: readonly string[],
  dto: Type,
  { type, data }: ArgumentMetadata,
): Promise<object> {
  const parent = data === undefined ? '' : `${data}.`;
  const { instance, problems, unknown } = await check(value, names, dto, parent);
  const refused = type === 'param' ? [] : unknown; // the parameters of a path are the route's, not the client's
  if (problems.length === 0 && refused.length === 0) return finished(instance, value);
  throw new ValidationFailed([...problems, ...refused.map((path) => unknownField(parent + path.join('.')))]);
}

interface Checked {
  readonly instance: object;
  readonly problems: readonly FieldProblem[];
  readonly unknown: readonly Path[];
}

async function check(value: object, names: readonly string[], dto: Type, parent = ''): Promise<Checked> {
  const { value: known, unknown } = knownPart(value, dto, names);
  const instance = toInstance(dto, known);
  const errors = await validate(instance, OPTIONS);
  return { instance, problems: errors.flatMap((error) => problemsOf(error, parent)), unknown };
}

const finished = (instance: object, value: object): object =>
  isPartial(value) ? withoutDefaults(instance, value) : instance;

function notAnObject({ type, data }: ArgumentMetadata): ValidationFailed {
  const subject = data ?? (type === 'body' ? 'The body' : type);
  return new ValidationFailed([{ field: data ?? type, message: `${subject} must be a JSON object` }]);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function problemsOf(error: ValidationError, parent = ''): FieldProblem[] {
  const field = parent + error.property;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ field, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, `${field}.`))];
}
