import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { validate, type ValidatorOptions } from 'class-validator';
import { Config } from '../../kernel/config/config.js';
import {
  bodyError,
  type FieldError,
  parameterError,
  type Path,
  shown,
  unknownError,
} from '../../kernel/errors/field-error.js';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { dtoSchema } from './dto-schema.js';
import { fieldErrors, type What } from './field-errors.js';
import { holdsTooMany, knownPart, MAX_ITEMS } from './known-part.js';
import { isPartial, withoutDefaults } from './partial-update.js';
import { quickCheck } from './quick-check.js';
import { toInstance } from './to-instance.js';

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
    if (type === 'body' && metatype === Array) checkLength(value); // a `ParseArrayPipe` may come next
    if (type === 'custom' || !metatype || !dtoSchema(metatype)) return value;
    if (value === undefined) return nothing(metatype, metadata);
    if (!isObject(value)) throw new ValidationFailed([notAnObject(metadata)]);
    const names = Object.keys(value);
    const quick = this.config.fastPaths ? quickCheck(metatype, value, names) : undefined;
    return quick ? finished(quick, value) : checked(value, names, metatype, metadata);
  }
}

/** No body at all: fine where nothing in it is required. */
async function nothing(dto: Type, metadata: ArgumentMetadata): Promise<object> {
  const { instance, errors } = await check({}, [], dto, metadata);
  if (errors.length > 0) throw new ValidationFailed([notAnObject(metadata)]);
  return instance;
}

async function checked(
  value: object,
  names: readonly string[],
  dto: Type,
  metadata: ArgumentMetadata,
): Promise<object> {
  const { instance, errors } = await check(value, names, dto, metadata);
  if (errors.length > 0) throw new ValidationFailed(errors);
  return finished(instance, value);
}

interface Checked {
  readonly instance: object;
  readonly errors: readonly FieldError[];
}

async function check(
  value: object,
  names: readonly string[],
  dto: Type,
  { type, data }: ArgumentMetadata,
): Promise<Checked> {
  const parent = data === undefined ? [] : [data];
  const { value: known, unknown, tooLong: path } = knownPart(value, dto, names);
  if (path) throw tooLong([...parent, ...path]);
  const instance = toInstance(dto, known);
  const found = fieldErrors(await validate(instance, OPTIONS), parent);
  const errors = Array.from(found, ({ path, what }) => fieldError(type, path, what));
  // The parameters of a path are the route's, not the client's.
  const of = type === 'query' ? type : 'body';
  const more = type === 'param' ? [] : unknown.map((path) => unknownError(of, [...parent, ...path]));
  return { instance, errors: [...errors, ...more] };
}

function fieldError(type: ArgumentMetadata['type'], path: Path, what: What): FieldError {
  if (type === 'body') return bodyError(path, what);
  return parameterError(type === 'param' ? 'path' : 'query', path, what);
}

function checkLength(value: unknown): void {
  if (Array.isArray(value) && holdsTooMany(value)) throw tooLong([]);
}

function tooLong(path: Path): ValidationFailed {
  const subject = path.length > 0 ? shown(path) : 'The body';
  const message = `${subject} must contain no more than ${MAX_ITEMS} elements`;
  return new ValidationFailed([bodyError(path, { code: 'length', message })]);
}

function notAnObject({ type, data }: ArgumentMetadata): FieldError {
  const path = data === undefined ? [] : [data];
  const subject = path.length > 0 ? shown(path) : 'The body';
  return fieldError(type, path, { code: 'type', message: `${subject} must be a JSON object` });
}

const finished = (instance: object, value: object): object =>
  isPartial(value) ? withoutDefaults(instance, value) : instance;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
