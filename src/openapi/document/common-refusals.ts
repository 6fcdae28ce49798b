import { InvalidApiKey, MissingApiKey } from '../../auth/auth.errors.js';
import { DomainError } from '../../kernel/errors/domain-error.js';
import { InternalError } from '../../kernel/errors/internal.error.js';
import { ServiceUnavailable } from '../../kernel/errors/service-unavailable.error.js';
import { ValidationFailed } from '../../kernel/errors/validation-failed.error.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from '../../idempotency/idempotency.errors.js';
import { NotAcceptable } from '../../http/guards/accept.guard.js';
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from '../../http/body/json.errors.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from '../../rate-limit/rate-limit.errors.js';
import { unknownField } from '../../http/validation/unknown-field.js';

/** What any operation may be refused with. */
export const EVERY_OPERATION: readonly DomainError[] = [
  new MissingApiKey(),
  new InvalidApiKey(),
  new NotAcceptable(),
  new RateLimitExceeded(42),
  new DailyQuotaExceeded(51_022),
  new ApiKeyBanned(300),
  new InternalError(),
  new ServiceUnavailable(),
];

/** What one that reads a body may be refused with, besides. */
export const WITH_A_BODY: readonly DomainError[] = [
  new ValidationFailed([{ field: 'name', message: 'name must be a text of 1 to 200 characters' }]),
  new InvalidJson(),
  new PayloadTooLarge('100 KiB'),
  new UnsupportedMediaType(),
];

/** What one that reads none may be refused with, besides: parameters are checked too. */
export const WITHOUT_A_BODY: readonly DomainError[] = [new ValidationFailed([unknownField('colour')])];

/** What one that takes an `Idempotency-Key` may be refused with, besides. */
export const WITH_IDEMPOTENCY: readonly DomainError[] = [
  new IdempotencyInProgress(),
  new IdempotencyKeyReused(),
];
