// validation/ refuses bodies, queries and ids that do not fit their DTOs, and says why. What a value means
// is the matter of a service.

import { type ArgumentMetadata, Injectable, type Type, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ValidationFailed } from '../../kernel/errors/common.errors.js';
import { UNREAD } from '../core/body/body.guard.js';
import { UnsupportedMediaType } from '../core/body/body.errors.js';
import {
  assertSomeProperty,
  inexactIntegers,
  inexactInUntyped,
  reservedNames,
  restoreIntegers,
} from './body-rules.js';
import { invalidValue, notAnObject, ofValidator, root } from './field-errors.js';
import { GIVEN_ONCE, isPrimitive, notUtf8In, withRulesOfQuery } from './query-rules.js';
import { withoutMembersOf, wrongShapes } from './shapes.js';

/** What class-validator has found, until the part of the request is known. */
class BrokenRules extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super();
  }

  /** What the transforms have made of the value. */
  get instance(): object | undefined {
    return this.errors[0]?.target;
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
      validationError: { target: true },
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
    const instance = await this.ofDto(value, { ...metadata, metatype });
    if (isBody) assertSomeProperty(instance, metatype);
    return instance;
  }

  private async ofDto(value: object | undefined, metadata: ArgumentMetadata & { metatype: Type }) {
    const { metatype, type } = metadata;
    const isQuery = type === 'query';
    const reserved = reservedNames(value ?? {}, metadata);
    const instance = (await super.transform(value, metadata).catch((error: unknown) => {
      if (!(error instanceof BrokenRules)) throw error;
      if (value === undefined) throw new ValidationFailed([notAnObject(metadata)]);
      const shapes = type === 'body' ? [...wrongShapes(value, metatype, metadata, root(metadata))] : [];
      const broken = [...shapes, ...withoutMembersOf(shapes, ofValidator(error.errors, metadata))];
      throw new ValidationFailed([
        ...(isQuery ? withRulesOfQuery(value, error.instance ?? value, metatype, broken) : broken),
        ...reserved,
      ]);
    })) as object;
    const ofQuery = isQuery && value !== undefined ? withRulesOfQuery(value, instance, metatype, []) : [];
    const inexact = type === 'body' ? [...inexactIntegers(instance, metadata)] : [];
    const errors = [...ofQuery, ...reserved, ...inexact];
    if (errors.length > 0) throw new ValidationFailed(errors);
    return instance;
  }

  /**
   * A pipe of the route may make an instance of one member, such as `@Param('id', UserByIdPipe) user: User`.
   */
  private async ofMember(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { data, metatype } = metadata;
    if (typeof value === 'bigint' && data !== undefined && isPrimitive(metatype)) return value; // Nest takes it for an object
    if (data === undefined || typeof value === 'bigint') throw new ValidationFailed([notAnObject(metadata)]);
    return super.transform(value, metadata).catch((error: unknown) => {
      throw error instanceof BrokenRules ? new ValidationFailed([notAnObject(metadata)]) : error;
    });
  }

  /**
   * Of a parameter that is no `number` or `boolean`, Nest would make NaN, 0 or false, and pipes such as
   * `DefaultValuePipe` take those.
   */
  protected override transformPrimitive(value: unknown, metadata: ArgumentMetadata): unknown {
    const refuse = (problem: string) => new ValidationFailed([invalidValue('type', problem, metadata)]);
    const garbled = metadata.type === 'query' ? notUtf8In(value, metadata.data) : [];
    if (garbled.length > 0) throw new ValidationFailed(garbled);
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
