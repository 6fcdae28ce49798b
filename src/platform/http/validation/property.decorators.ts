import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type as TypeOf } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsEnum,
  IsObject,
  isRFC3339,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';
import { type Decimal, decimalPattern, isDecimal } from '../../kernel/json/decimal.js';
import { isInt64, MAX_INT64, MIN_INT64, parseInt64 } from '../../kernel/json/int64.js';

interface Rule {
  readonly name: string;
  /** The `code` of the error in a response. */
  readonly code: string;
  readonly test: (value: unknown) => boolean;
  /** `must be …`, after the name of the field. */
  readonly message: string;
}

/** Makes a constraint of class-validator from a predicate. */
export function rule({ name, code, test, message }: Rule): PropertyDecorator {
  const validator = { validate: test, defaultMessage: () => `$property ${message}` };
  return ValidateBy({ name, validator }, { context: { code } });
}

/**
 * Refuses a value that does not go together with others of its object, with the code `combination`. OpenAPI
 * cannot express that: say it in the description, and in `x-further-rules` of the operation.
 */
export const NotWith = <T extends object>(
  isRefused: (object: T) => boolean,
  message: string,
): ((target: T, property: string | symbol) => void) =>
  ValidateBy(
    {
      name: 'notWith',
      validator: {
        validate: (_value, args?: ValidationArguments) => !isRefused(args?.object as T),
        defaultMessage: () => message,
      },
    },
    { context: { code: 'combination' } },
  );

/** The value may be omitted. Unlike class-validator's `@IsOptional()`, this does not accept `null`. */
export const OptionalNotNull = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

/** With `nullable: true` in the document, `null` is valid, too. */
const orNull = ({ nullable }: { readonly nullable?: boolean }): PropertyDecorator =>
  ValidateIf((_, value) => nullable !== true || value !== null);

/** What has a `default` may be omitted, in the document too. */
const withDefault = <Options extends { readonly default?: unknown }>(document: Options) => ({
  required: document.default === undefined,
  ...document,
});

interface TextOptions extends Pick<ApiPropertyOptions, 'description' | 'required' | 'nullable' | 'default'> {
  /** Unicode code points, as JSON Schema and PostgreSQL count them. */
  readonly max: number;
  /** 1 unless told; 0, together with `mayBeBlank`, for a text that may be empty. */
  readonly min?: 0 | 1;
  readonly example?: string;
  /** Whether it may be only white space, as the beginning of a text may. */
  readonly mayBeBlank?: boolean;
}

/** Not only white space, and no U+0000. */
export const TEXT_PATTERN = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/**
 * `min` to `max` code points, not only white space. U+0000 and lone surrogates are invalid: PostgreSQL cannot
 * store them.
 */
export function Text({ max, min = 1, mayBeBlank = false, ...document }: TextOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      ...withDefault(document),
      type: 'string',
      minLength: min,
      maxLength: max,
      pattern: mayBeBlank ? '^[^\\u0000]*$' : TEXT_PATTERN,
    }),
    orNull(document),
    rule({ name: 'isText', code: 'type', test: isString, message: 'must be a string' }),
    rule({
      name: 'textLength',
      code: 'length',
      test: (value) => isString(value) && hasLength(value, min, max),
      message: `must have ${min} to ${max} characters`,
    }),
    rule({
      name: 'textNotBlank',
      code: 'format',
      test: (value) => mayBeBlank || (isString(value) && value.trim() !== ''),
      message: 'must not be only white space',
    }),
    rule({
      name: 'textStorable',
      code: 'format',
      test: (value) => isString(value) && value.isWellFormed() && !value.includes('\0'),
      message: 'must not contain U+0000 or a lone surrogate',
    }),
  );
}

const isString = (value: unknown): value is string => typeof value === 'string';

/**
 * Checks the length in UTF-16 units first, at most two per code point, so that code points of a long text are
 * not counted.
 */
const hasLength = (text: string, min: number, max: number): boolean =>
  text.length >= min && text.length <= 2 * max && Array.from(text).length <= max;

interface EnumOptions extends Pick<
  ApiPropertyOptions,
  'description' | 'required' | 'nullable' | 'default' | 'example'
> {
  /** Of the schema in the OpenAPI document, and of the type in generated clients. */
  readonly name: string;
}

/** One value of an enumeration, such as `enum PetStatus { Available = 'available' }`. */
export function EnumField(
  values: Record<string, unknown>,
  { name, ...document }: EnumOptions,
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      ...withDefault(document),
      enum: values,
      enumName: name,
    }),
    orNull(document),
    IsEnum(values, { message: '$property must be one of $constraint2' }),
  );
}

/** The name of the rule that a property must be a list of signed 64-bit integers. */
export const INT64_LIST_RULE = 'int64List';

interface Int64ParameterOptions extends Pick<ApiPropertyOptions, 'description'> {
  /** `false` for one that cannot be combined with another: tools send the example of each parameter. */
  readonly hasExample?: boolean;
}

interface Int64ListOptions extends Int64ParameterOptions {
  readonly max: number;
}

/**
 * An optional query parameter of 1 to `max` signed 64-bit integers, repeated or separated by commas:
 * `ids=1&ids=2` or `ids=1,2`.
 */
export function Int64List({ max, description, hasExample = true }: Int64ListOptions): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'array',
      items: { type: 'integer', format: 'int64' },
      minItems: 1,
      maxItems: max,
      style: 'form',
      explode: true,
      description,
      ...(hasExample && { example: [1, 2, 3] }),
    } as unknown as ApiPropertyOptions), // the types lack `style` and `explode`, but @nestjs/swagger passes them on
    Transform(({ value }: { value?: string | string[] }) =>
      value === undefined ? value : read(String(value), max),
    ),
    OptionalNotNull(),
    rule({
      name: INT64_LIST_RULE,
      code: 'format',
      test: (value) => Array.isArray(value) && value.every(isInt64),
      message: 'must be 64-bit integers separated by commas',
    }),
    rule({
      name: 'int64ListLength',
      code: 'length',
      test: (value) => Array.isArray(value) && value.length <= max,
      message: `must have at most ${max} integers`,
    }),
  );
}

/** An optional query parameter that is a signed 64-bit integer. */
export function Int64Parameter({ description, hasExample = true }: Int64ParameterOptions): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      format: 'int64',
      description,
      ...(hasExample && { example: 42 }),
    }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (parseInt64(value) ?? NaN) : value,
    ),
    OptionalNotNull(),
    rule({ name: 'int64Parameter', code: 'format', test: isInt64, message: 'must be a 64-bit integer' }),
  );
}

/** Parses one item more than `max`, so that the length rule rejects a longer list. */
const read = (text: string, max: number) => text.split(',', max + 1).map(parseInt64);

/** The name of the rule that a property must be a signed 64-bit integer. */
export const INT64_RULE = 'int64Type';

/**
 * An exact, signed 64-bit integer in a body. Strings and fractions are invalid; `1.0` and `1e3` are integers,
 * as in JSON Schema. `minimum` and `maximum` of the document are its bounds.
 */
export function Int64Field(document: ApiPropertyOptions): PropertyDecorator {
  const { minimum = MIN_INT64, maximum = MAX_INT64 } = document;
  return applyDecorators(
    ApiProperty({ type: 'integer', format: 'int64', ...withDefault(document) }),
    orNull(document),
    rule({ name: INT64_RULE, code: 'type', test: isNumber, message: 'must be an integer' }),
    rule({
      name: 'int64Form',
      code: 'format',
      test: (value) => !isNumber(value) || typeof value === 'bigint' || isWhole(Number(value)),
      message: 'must be an integer',
    }),
    rule({
      name: 'int64Range',
      code: 'range',
      test: (value) => isInt64(value) && value >= minimum && value <= maximum,
      message: `must be from ${minimum} to ${maximum}`,
    }),
  );
}

interface DecimalOptions
  extends Decimal, Pick<ApiPropertyOptions, 'description' | 'required' | 'nullable' | 'default'> {
  readonly example?: string;
}

/**
 * An exact decimal in a body, as a string: `"12.50"`. Its column is `@Column('numeric', { precision, scale
 * })` with the same digits, and the type of both is `string`. A number is invalid, because JSON's readers
 * make a double of it.
 */
export function DecimalField({
  precision,
  scale,
  mayBeNegative = false,
  ...document
}: DecimalOptions): PropertyDecorator {
  const decimal = { precision, scale, mayBeNegative };
  const example = document.example ?? (scale === 0 ? '12' : `12.${'50'.padEnd(scale, '0').slice(0, scale)}`);
  return applyDecorators(
    ApiProperty({
      ...withDefault(document),
      type: 'string',
      format: 'decimal',
      pattern: decimalPattern(decimal),
      example,
    }),
    orNull(document),
    rule({
      name: 'isDecimalText',
      code: 'type',
      test: isString,
      message: `must be a string, such as "${example}"`,
    }),
    rule({
      name: 'decimalForm',
      code: 'format',
      test: (value) => isString(value) && isDecimal(value, decimal),
      message: `must be a decimal of at most ${precision - scale} digits before and ${scale} after the point${mayBeNegative ? '' : ', not below 0'}`,
    }),
  );
}

/** An infinity is an integer that no double can hold. */
const isWhole = (value: number): boolean => Math.abs(value) === Infinity || Number.isInteger(value);

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';

/** A time in RFC 3339, such as `2026-11-27T10:00:00Z`. The handler gets a `Date`, so to the millisecond. */
export function TimeField(document: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', format: 'date-time', ...withDefault(document) }),
    orNull(document),
    Transform(({ value }: { value: unknown }) => (isTime(value) ? new Date(value) : value)),
    rule({
      name: 'time',
      code: 'format',
      test: (value) => value instanceof Date,
      message: 'must be a time with its offset, such as 2026-11-27T10:00:00Z',
    }),
  );
}

/** A day, such as `2026-11-27`. The handler gets the text, as a column of the type `date` takes it. */
export function DateField(document: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', format: 'date', ...withDefault(document) }),
    orNull(document),
    rule({ name: 'date', code: 'format', test: isDay, message: 'must be a date, such as 2026-11-27' }),
  );
}

/** A day of the calendar. PostgreSQL has no year 0. */
export const isDay = (value: unknown): boolean =>
  isString(value) &&
  /^(?!0000)\d{4}-(0[1-9]|1[0-2])-\d{2}$/.test(value) &&
  new Date(`${value}T00:00:00Z`).getUTCDate() === Number(value.slice(8));

/**
 * class-validator accepts 30 February, a space instead of the T, and leap seconds, which a `Date` cannot
 * hold.
 */
const isTime = (value: unknown): value is string =>
  isRFC3339(value) &&
  isString(value) &&
  value[10] !== ' ' &&
  isDay(value.slice(0, 10)) &&
  !Number.isNaN(Date.parse(value));

interface IntegerParameterOptions {
  readonly description: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/**
 * A query parameter that is an integer from `min` to `max` in plain decimal digits. Rejects `1e1`, ` 5`,
 * `0x10`, an empty value and a repeated parameter. Values out of range are rejected, not clamped.
 */
export function IntegerParameter({ min, max, ...document }: IntegerParameterOptions): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', format: 'int32', minimum: min, maximum: max, ...document }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (/^\d+$/.test(value) ? Number(value) : NaN) : value,
    ),
    rule({
      name: 'integerType',
      code: 'type',
      test: (value) => typeof value === 'number' && !Number.isNaN(value),
      message: 'must be an integer',
    }),
    rule({
      name: 'integerRange',
      code: 'range',
      test: (value) => Number(value) >= min && Number(value) <= max,
      message: `must be from ${min} to ${max}`,
    }),
  );
}

interface ObjectListOptions extends Pick<ApiPropertyOptions, 'description' | 'example'> {
  /** The least number of objects; 1 unless told. */
  readonly min?: number;
  readonly max: number;
  /** Whether something else refuses a longer list, such as a guard by the plan; `max` is documented only. */
  readonly isBoundElsewhere?: boolean;
}

/**
 * A list of objects of one class, whose rules hold for each. An invalid one is named by its place, such as
 * `pets.3.name`.
 */
export function ObjectList(
  itemType: () => Type<object>,
  { min = 1, max, isBoundElsewhere = false, ...document }: ObjectListOptions,
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: () => [itemType()], minItems: min, maxItems: max, ...document }),
    IsArray(),
    ArrayMinSize(min),
    ...(isBoundElsewhere ? [] : [ArrayMaxSize(max)]),
    IsObject({ each: true }), // class-validator takes a list of objects for an object
    ValidateNested({ each: true }),
    TypeOf(itemType),
  );
}
