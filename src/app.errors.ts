import { InsufficientScope, InvalidApiKey, MissingApiKey } from './auth/auth.errors.js';
import { EndpointRemoved } from './deprecation/deprecation.js';
import { CLIENT_ERRORS, MALFORMED } from './http/adapter/client-errors.js';
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from './http/body/body.errors.js';
import { PreconditionFailed } from './kernel/expected-version.js';
import { NotAcceptable } from './http/guards/accept.guard.js';
import { MethodNotAllowed, RouteNotFound } from './http/errors/route.errors.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from './idempotency/idempotency.errors.js';
import { parameterError } from './kernel/errors/field-error.js';
import { InternalError, ServiceUnavailable, ValidationFailed } from './kernel/errors/common.errors.js';
import { InvalidCursor } from './kernel/pagination/page.js';
import { type CatalogEntry, catalogEntry } from './openapi/error-catalog/error-catalog.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from './rate-limit/rate-limit.errors.js';

const LIMIT = parameterError('query', ['limit'], { code: 'range', message: 'limit must be from 1 to 100' });

/**
 * The errors of the platform. `/docs/errors`, the reference and docs/errors.md also list the errors that features declare
 * with `@ApiErrors()`.
 */
export const ERROR_CATALOG: readonly CatalogEntry[] = [
  catalogEntry(MALFORMED, {
    meaning: 'The request is not valid HTTP/1.1, or does not have exactly one valid `Host`.',
    action: 'Use an HTTP library. The connection is closed if the rest cannot be read.',
  }),
  catalogEntry(new ValidationFailed([LIMIT]), {
    meaning: 'A value in the body, query, path or headers is missing, invalid or unknown.',
    action: 'Correct each value in `details`. The same request would fail again.',
  }),
  catalogEntry(new InvalidJson(), {
    meaning: 'The body is not JSON, is truncated, or does not match its `Content-Encoding`.',
    action: 'Write the body with a JSON library. The message gives the line and column.',
  }),
  catalogEntry(new InvalidCursor(), {
    meaning: 'The `cursor` belongs to another list or filter, or was modified.',
    action: 'Start again without a cursor. Follow `Link` unchanged, and keep the filter of the first page.',
  }),
  catalogEntry(new MissingApiKey(), {
    meaning: 'The request has no API key.',
    action: 'Send `Authorization: Bearer <API_KEY>`.',
  }),
  catalogEntry(new InvalidApiKey(), {
    meaning:
      'The API key is unknown, mistyped, revoked, expired or replaced. The response does not say which.',
    action: 'Do not repeat the request. Check the key, or ask the operator for a new one.',
  }),
  catalogEntry(new InsufficientScope('pets:write'), {
    meaning: 'The key is valid but lacks the scope that the operation needs.',
    action: 'Use another key, or ask the operator to add the scope.',
  }),
  catalogEntry(new RouteNotFound('/v1/cats'), {
    meaning: 'The path does not exist. Paths are case-sensitive and start with `/v1`.',
    action: 'Compare the path with the reference.',
  }),
  catalogEntry(new MethodNotAllowed('DELETE', '/v1/pets', ['GET', 'HEAD', 'OPTIONS', 'POST']), {
    meaning: 'The path exists but does not support this method.',
    action: 'Use one of the methods in the `Allow` header.',
  }),
  catalogEntry(new NotAcceptable(), {
    meaning: 'The `Accept` header excludes every media type that the operation produces.',
    action: 'Send `Accept: application/json`, or leave the header out.',
  }),
  catalogEntry(CLIENT_ERRORS.ERR_HTTP_REQUEST_TIMEOUT, {
    meaning: 'The headers or the body arrived too slowly.',
    action: 'Repeat the request on a new connection.',
  }),
  catalogEntry(new IdempotencyInProgress(), {
    meaning: 'The first request with this `Idempotency-Key` is still running.',
    action: 'Wait for the seconds in `Retry-After`, then send the same request with the same key.',
  }),
  catalogEntry(
    new EndpointRemoved({
      sunset: '2030-12-05',
      use: 'GET /v1/pets?ids=',
    }),
    {
      meaning: 'The operation was deprecated, and its `Sunset` date has passed.',
      action: 'Use the successor in the `Link` header.',
    },
  ),
  catalogEntry(new PreconditionFailed(), {
    meaning: 'The resource changed since you read the version in `If-Match`.',
    action: 'Fetch the resource again, apply your change to it, and send it with the new `ETag`.',
  }),
  catalogEntry(new PayloadTooLarge('100 KiB'), {
    meaning: 'The body exceeds the limit, compressed or uncompressed.',
    action: 'Send less per request.',
  }),
  catalogEntry(new UnsupportedMediaType(), {
    meaning: 'The operation does not accept the media type, charset or `Content-Encoding` of the body.',
    action: 'Send UTF-8 JSON with a `Content-Type` that the operation accepts, such as `application/json`.',
  }),
  catalogEntry(new IdempotencyKeyReused(), {
    meaning: 'The `Idempotency-Key` was used with a different body, method or path.',
    action: 'Use a new key for each new request. Repeat a request without any change.',
  }),
  catalogEntry(new RateLimitExceeded(42), {
    meaning: 'The limit of the plan, the route or the address for this minute is used up.',
    action: 'Wait for the seconds in `Retry-After`, then back off exponentially.',
  }),
  catalogEntry(new DailyQuotaExceeded(51_022), {
    meaning: 'The limit for this UTC day is used up.',
    action: 'Wait until the day ends (`Retry-After`), or ask for a larger plan.',
  }),
  catalogEntry(new ApiKeyBanned(300), {
    meaning: 'The key kept sending requests after 429 and is temporarily banned.',
    action: 'Send nothing until `Retry-After` has passed. Fix the client: each further ban is longer.',
  }),
  catalogEntry(CLIENT_ERRORS.HPE_HEADER_OVERFLOW, {
    meaning: 'The request line and the headers together exceed 16 KiB.',
    action: 'Send shorter headers or a shorter URL.',
  }),
  catalogEntry(new InternalError(), {
    meaning: 'The service failed. The response does not reveal the cause.',
    action: 'Repeat the request later. Report the `X-Request-Id` if it happens again.',
  }),
  catalogEntry(new ServiceUnavailable(), {
    meaning: 'Something that the service needs, such as its database, is unavailable.',
    action: 'Wait for the seconds in `Retry-After`. Repeat a `POST` with the same `Idempotency-Key`.',
  }),
];
