import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError, type ValidatorOptions } from 'class-validator';
import { ValidationFailed } from '../errors/common.errors.js';
import { UNREAD } from '../http/body/body.guard.js';
import { UnsupportedMediaType } from '../http/body/body.errors.js';
import {
  assertSomeProperty,
  inexactIntegers,
  inexactInUntyped,
  isReserved,
  limitUnknown,
  MAX_UNKNOWN,
  reservedNames,
  restoreIntegers,
  unknownInside,
} from './body-rules.js';
import { invalidValue, notAnObject, ofValidator, unknownAt } from './field-errors.js';
import { GIVEN_ONCE, isPrimitive, withRepeated } from './query-rules.js';
import { rememberRules } from './remember-rules.js';

rememberRules(getMetadataStorage());

/** What class-validator has found, until the part of the request is known. */
class BrokenRules extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super();
  }
}

/** Nest's validation, with one error in `details` for each invalid property, and exact integers. */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      exceptionFactory: (errors) => new BrokenRules(errors),
    });
  }

  /** @throws ValidationFailed, UnsupportedMediaType */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && value === UNREAD) throw UnsupportedMediaType.expecting();
    const { metatype } = metadata;
    if (!metatype || !this.toValidate(metadata)) {
      if (metadata.type !== 'body') return super.transform(value, metadata);
      const inexact = inexactInUntyped(value, metadata);
      if (inexact.length > 0) throw new ValidationFailed(inexact);
      return super.transform(value, metadata);
    }
    if (value !== undefined && !isObject(value)) return this.ofMember(value, metadata);
    const isBody = metadata.type === 'body';
    if (isBody && value !== undefined) restoreIntegers(value, metatype);
    const instance = isFlat(value)
      ? await this.ofFlat(value, metatype as Type<object>, metadata)
      : await this.ofAny(value, { ...metadata, metatype });
    if (isBody) assertSomeProperty(instance, metatype);
    return instance;
  }

  /** What the stock pipe does, without the parts that an object of only primitive values does not need. */
  private async ofFlat(value: object, dto: Type<object>, metadata: ArgumentMetadata): Promise<object> {
    const instance = plainToInstance(dto, value, this.transformOptions);
    const broken = await validate(instance, this.validatorOptions);
    if (broken.length > 0) throw new ValidationFailed(ofValidator(broken, metadata));
    return instance;
  }

  private async ofAny(value: object | undefined, metadata: ArgumentMetadata & { metatype: Type }) {
    const { metatype, type } = metadata;
    const isQuery = type === 'query';
    const reserved = reservedNames(value ?? {}, metadata);
    if (value !== undefined) limitUnknown(value, metatype, metadata);
    const instance = (await super.transform(value, metadata).catch((error: unknown) => {
      if (!(error instanceof BrokenRules)) throw error;
      if (value === undefined) throw new ValidationFailed([notAnObject(metadata)]);
      const broken = ofValidator(error.errors, metadata);
      throw new ValidationFailed([
        ...(isQuery ? withRepeated(value, metatype, broken) : broken),
        ...reserved,
      ]);
    })) as object;
    const repeated = isQuery && value !== undefined ? withRepeated(value, metatype, []) : [];
    const inexact = type === 'body' ? [...inexactIntegers(instance, metadata)] : [];
    const errors = [...repeated, ...reserved, ...inexact];
    if (errors.length > 0) throw new ValidationFailed(errors);
    return instance;
  }

  /** Runs no rule if too many members of nested objects are unknown: class-validator would make an error of each. */
  protected override validate(
    object: object,
    options?: ValidatorOptions,
  ): ValidationError[] | Promise<ValidationError[]> {
    const unknown = unknownInside(object);
    return unknown.length > MAX_UNKNOWN ? unknown.map(unknownAt) : super.validate(object, options);
  }

  /** A pipe of the route may make an instance of one member, such as `@Param('id', UserByIdPipe) user: User`. */
  private async ofMember(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { data, metatype } = metadata;
    if (typeof value === 'bigint' && data !== undefined && isPrimitive(metatype)) return value; // Nest takes it for an object
    if (data === undefined || typeof value === 'bigint') throw new ValidationFailed([notAnObject(metadata)]);
    return super.transform(value, metadata).catch((error: unknown) => {
      throw error instanceof BrokenRules ? new ValidationFailed([notAnObject(metadata)]) : error;
    });
  }

  /** Of a parameter that is no `number` or `boolean`, Nest would make NaN, 0 or false, and pipes such as `DefaultValuePipe` take those. */
  protected override transformPrimitive(value: unknown, metadata: ArgumentMetadata): unknown {
    const refuse = (problem: string) => new ValidationFailed([invalidValue('type', problem, metadata)]);
    if (Array.isArray(value) && metadata.type === 'query' && isPrimitive(metadata.metatype))
      throw refuse(GIVEN_ONCE);
    const result = super.transformPrimitive(value, metadata);
    if (typeof result === 'number' && (Number.isNaN(result) || String(value).trim() === ''))
      throw refuse('must be a number');
    if (typeof result === 'boolean' && String(value) !== String(result))
      throw refuse('must be true or false');
    return result;
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value has only primitive members, not too many, and none whose name every object has. */
function isFlat(value: object | undefined): value is object {
  if (value === undefined) return false;
  let count = 0;
  for (const name in value) {
    const item = (value as Record<string, unknown>)[name];
    if ((typeof item === 'object' && item !== null) || isReserved(name) || ++count > MAX_UNKNOWN)
      return false;
  }
  return true;
}
