import { MissingApiKey } from '../../access/auth/auth.errors.js';
import { InternalError, ServiceUnavailable, ValidationFailed } from '../../kernel/errors/common.errors.js';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { bodyError, unknownError } from '../../kernel/errors/field-error.js';
import { MethodNotAllowed, RouteNotFound } from '../../kernel/errors/route.errors.js';
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from '../../http/core/body/body.errors.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from '../../writes/idempotency/idempotency.errors.js';
import { examplePath } from '../../kernel/config/service.js';
import { InvalidApiKey } from '../../access/keys/keys.errors.js';
import {
  ApiKeyBanned,
  DailyQuotaExceeded,
  RateLimitExceeded,
} from '../../access/rate-limit/rate-limit.errors.js';

/** Of an operation that needs a key. */
export const NO_KEY: readonly DomainError[] = [new MissingApiKey(), new InvalidApiKey()];
export const ALWAYS: readonly DomainError[] = [
  new RateLimitExceeded(42),
  new DailyQuotaExceeded(51_022),
  new ApiKeyBanned(300),
  new InternalError(),
  new ServiceUnavailable(),
];
export const WITH_A_BODY: readonly DomainError[] = [
  new ValidationFailed([
    bodyError(['name'], { code: 'length', message: 'name must have 1 to 200 characters' }),
  ]),
  new InvalidJson(),
  new PayloadTooLarge(),
];
/** A form or a file. Its interceptor refuses one that is too large with 413. */
export const WITH_ANOTHER_BODY: readonly DomainError[] = [new PayloadTooLarge()];
/** Of an operation with a query DTO: others ignore unknown parameters. */
export const UNKNOWN_PARAMETER = new ValidationFailed([unknownError('query', ['colour'])]);
export const UNKNOWN_PROPERTY = new ValidationFailed([unknownError('body', ['colour'])]);
/** @param property that the body must have */
export const missingProperty = (property: string): DomainError =>
  new ValidationFailed([bodyError([property], { code: 'required', message: `${property} is required` })]);
export const WITH_IDEMPOTENCY: readonly DomainError[] = [
  new IdempotencyInProgress(),
  new IdempotencyKeyReused(),
];

/**
 * Examples of all errors of the pipeline. The others are those that operations declare with `@ApiErrors()`.
 */
export const pipelineErrors = (): readonly DomainError[] => [
  ...WITH_A_BODY,
  ...NO_KEY,
  new RouteNotFound('/v1/cats'),
  new MethodNotAllowed('DELETE', examplePath(), ['GET', 'HEAD', 'OPTIONS', 'POST']),
  ...WITH_IDEMPOTENCY,
  new UnsupportedMediaType(),
  ...ALWAYS,
];
