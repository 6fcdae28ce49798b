import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { validate, type ValidatorOptions } from 'class-validator';
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
import { fieldErrors, type BrokenRule } from './field-errors.js';
import { expectSomeProperty, isPartial, withoutDefaults } from './partial-update.js';
import { holdsTooMany, MAX_ITEMS, MAX_UNKNOWN, surplusOf } from './surplus.js';
import { toInstance } from './to-instance.js';

const OPTIONS: ValidatorOptions = {
  stopAtFirstError: true, // of each property
  strictGroups: true, // rules with groups apply only in a pipe with one of them
  forbidUnknownValues: false, // `surplusOf` finds them
};

/**
 * Validates handler parameters whose type is a DTO, turns them into instances, and rejects unknown properties. Other values
 * pass unchanged, except numbers.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, metatype } = metadata;
    if (type === 'body' && metatype === Array) checkLength(value); // a `ParseArrayPipe` may follow
    if (metatype === Number && metadata.data !== undefined) return toNumber(value, type);
    if (type === 'custom' || !metatype || !dtoSchema(metatype)) return value;
    if (value === undefined) return validateMissing(metatype, metadata);
    if (!isObject(value)) throw new ValidationFailed([notAnObject(metadata)]);
    return validated(value, metatype, metadata);
  }
}

/**
 * Converts a path or query parameter of type `number`, as Nest's ValidationPipe does. Other notations, such as `1e3` or `007`,
 * are left to the pipes of the parameter.
 */
function toNumber(value: unknown, type: ArgumentMetadata['type']): unknown {
  if (typeof value !== 'string' || (type !== 'param' && type !== 'query')) return value;
  const number = Number(value);
  return Number.isNaN(number) || String(number) === value ? number : value;
}

/** A missing body is valid if no property is required. */
async function validateMissing(dto: Type, metadata: ArgumentMetadata): Promise<object> {
  const { instance, errors } = await check({}, dto, metadata);
  if (errors.length > 0) throw new ValidationFailed([notAnObject(metadata)]);
  return finished(instance, {});
}

async function validated(value: object, dto: Type, metadata: ArgumentMetadata): Promise<object> {
  const { instance, errors } = await check(value, dto, metadata);
  if (errors.length > 0) throw new ValidationFailed(errors);
  return metadata.type === 'body' ? finished(instance, value) : instance;
}

interface Checked {
  readonly instance: object;
  readonly errors: readonly FieldError[];
}

async function check(value: object, dto: Type, { type, data }: ArgumentMetadata): Promise<Checked> {
  const parent = data === undefined ? [] : [data];
  const { unknown, tooLong: path } = surplusOf(value, dto);
  if (path) throw tooLong([...parent, ...path]);
  const of = type === 'query' ? type : 'body';
  // The route, not the client, determines the names of path parameters.
  const more = type === 'param' ? [] : unknown.map((path) => unknownError(of, [...parent, ...path]));
  if (more.length === MAX_UNKNOWN) throw new ValidationFailed(more);
  const instance = toInstance(dto, value);
  const found = await validate(instance, OPTIONS);
  if (found.length === 0) return { instance, errors: more };
  const errors = Array.from(fieldErrors(found, parent), ({ path, rule }) => fieldError(type, path, rule));
  return { instance, errors: [...errors, ...more] };
}

function fieldError(type: ArgumentMetadata['type'], path: Path, rule: BrokenRule): FieldError {
  if (type === 'body') return bodyError(path, rule);
  return parameterError(type === 'param' ? 'path' : 'query', path, rule);
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

function finished(made: object, value: object): object {
  const instance = isPartial(value) ? withoutDefaults(made, value) : made;
  expectSomeProperty(instance);
  return instance;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
