import type { OperationObject } from './openapi-types.js';
import { InvalidApiKey, MissingApiKey } from '../auth/auth.errors.js';
import { DomainError } from '../errors/domain-error.js';
import { InternalError } from '../errors/internal.error.js';
import { ServiceUnavailable } from '../errors/service-unavailable.error.js';
import { ValidationFailed } from '../errors/validation-failed.error.js';
import { NotAcceptable } from '../http/accept.guard.js';
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from '../json/json.errors.js';
import { DailyQuotaExceeded, RateLimitExceeded } from '../rate-limit/rate-limit.errors.js';
import { unknownField } from '../validation/unknown-field.js';

const EVERY_OPERATION: readonly DomainError[] = [
  new MissingApiKey(),
  new InvalidApiKey(),
  new NotAcceptable(),
  new RateLimitExceeded(42),
  new DailyQuotaExceeded(51_022),
  new InternalError(),
  new ServiceUnavailable(),
];

const WITH_A_BODY: readonly DomainError[] = [
  new ValidationFailed([{ field: 'name', message: 'name must be a text of 1 to 200 characters' }]),
  new InvalidJson(),
  new PayloadTooLarge('100 KiB'),
  new UnsupportedMediaType(),
];

const WITHOUT_A_BODY: readonly DomainError[] = [new ValidationFailed([unknownField('colour')])];

/** What any operation of this shape may be refused with. */
export function commonRefusals(operation: OperationObject): readonly DomainError[] {
  return [...(operation.requestBody ? WITH_A_BODY : WITHOUT_A_BODY), ...EVERY_OPERATION];
}
