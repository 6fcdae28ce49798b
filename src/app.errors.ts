import { InsufficientScope, MissingApiKey } from './platform/auth/auth.errors.js';
import { InvalidApiKey } from './platform/keys/keys.errors.js';
import { PreconditionFailed } from './platform/conditional/if-match.condition.js';
import { EndpointRemoved } from './platform/deprecation/deprecation.js';
import { InternalError, ServiceUnavailable, ValidationFailed } from './platform/errors/common.errors.js';
import type { DomainError } from './platform/errors/domain-error.js';
import { parameterError } from './platform/errors/field-error.js';
import { MethodNotAllowed, RouteNotFound } from './platform/errors/route.errors.js';
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from './platform/http/body/body.errors.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from './platform/idempotency/idempotency.errors.js';
import { InvalidCursor } from './platform/pagination/page.js';
import {
  ApiKeyBanned,
  DailyQuotaExceeded,
  RateLimitExceeded,
} from './platform/rate-limit/rate-limit.errors.js';

const LIMIT = parameterError('query', ['limit'], { code: 'range', message: 'limit must be from 1 to 100' });

/** Examples of the errors of the platform. `/docs/errors` adds those that features declare with `@ApiErrors()`. */
export const ERRORS: readonly DomainError[] = [
  new ValidationFailed([LIMIT]),
  new InvalidJson(),
  new InvalidCursor(),
  new MissingApiKey(),
  new InvalidApiKey(),
  new InsufficientScope('pets:write'),
  new RouteNotFound('/v1/cats'),
  new MethodNotAllowed('DELETE', '/v1/pets', ['GET', 'HEAD', 'OPTIONS', 'POST']),
  new IdempotencyInProgress(),
  new EndpointRemoved({ sunset: '2030-12-05', use: 'GET /v1/pets with the status filter' }),
  new PreconditionFailed(),
  new PayloadTooLarge(),
  new UnsupportedMediaType(),
  new IdempotencyKeyReused(),
  new RateLimitExceeded(42),
  new DailyQuotaExceeded(51_022),
  new ApiKeyBanned(300),
  new InternalError(),
  new ServiceUnavailable(),
];
