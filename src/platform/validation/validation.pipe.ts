import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ValidationFailed } from '../errors/common.errors.js';
import { isPartial, UNREAD } from '../http/body/body.guard.js';
import { UnsupportedMediaType } from '../http/body/body.errors.js';
import { expectSomeProperty, inexactIntegers, reservedNames, withoutDefaults } from './body-rules.js';
import { invalidValue, notAnObject, ofValidator } from './field-errors.js';

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
      strictGroups: true, // rules with groups apply only in a pipe with one of them
      exceptionFactory: (errors) => new BrokenRules(errors),
    });
  }

  /** @throws ValidationFailed, UnsupportedMediaType */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body' && value === UNREAD) throw new UnsupportedMediaType();
    if (!metadata.metatype || !this.toValidate(metadata)) return super.transform(value, metadata);
    if (value !== undefined && !isObject(value)) throw new ValidationFailed([notAnObject(metadata)]);
    const reserved = reservedNames(value ?? {}, metadata);
    const instance: unknown = await super.transform(value, metadata).catch((error: unknown) => {
      if (!(error instanceof BrokenRules)) throw error;
      if (value === undefined) throw new ValidationFailed([notAnObject(metadata)]);
      throw new ValidationFailed([...ofValidator(error.errors, metadata), ...reserved]);
    });
    const isBody = metadata.type === 'body';
    const errors = isBody ? [...reserved, ...inexactIntegers(instance, metadata)] : reserved;
    if (errors.length > 0) throw new ValidationFailed(errors);
    if (isBody) {
      if (value !== undefined && isPartial(value)) withoutDefaults(instance as object, value);
      expectSomeProperty(instance as object);
    }
    return instance;
  }

  /** Of a parameter that is no `number` or `boolean`, Nest would make NaN, 0 or false, and pipes such as `DefaultValuePipe` take those. */
  protected override transformPrimitive(value: unknown, metadata: ArgumentMetadata): unknown {
    const result = super.transformPrimitive(value, metadata);
    const refuse = (problem: string) => new ValidationFailed([invalidValue('type', problem, metadata)]);
    if (typeof result === 'number' && (Number.isNaN(result) || String(value).trim() === ''))
      throw refuse('must be a number');
    if (typeof result === 'boolean' && String(value) !== String(result))
      throw refuse('must be true or false');
    return result;
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
