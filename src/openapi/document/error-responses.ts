import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { InvalidApiKey, MissingApiKey } from '../../auth/auth.errors.js';
import { InvalidJson, PayloadTooLarge, UnsupportedMediaType } from '../../http/body/body.errors.js';
import { ofDomainError, ofStatus } from '../../http/errors/error-body.js';
import { PROBLEM_TYPE } from '../../http/errors/problem.js';
import { type DomainError, type ErrorKind, HTTP_STATUS } from '../../kernel/errors/domain-error.js';
import { NotAcceptable } from '../../http/guards/accept.guard.js';
import { JSON_TYPE } from '../../http/route/produced-types.js';
import { IdempotencyInProgress, IdempotencyKeyReused } from '../../idempotency/idempotency.errors.js';
import { bodyError, unknownError } from '../../kernel/errors/field-error.js';
import { InternalError, ServiceUnavailable, ValidationFailed } from '../../kernel/errors/common.errors.js';
import { ApiKeyBanned, DailyQuotaExceeded, RateLimitExceeded } from '../../rate-limit/rate-limit.errors.js';
import { headersOf } from './headers.js';
import type { OperationObject, ResponseObject, SchemaOrReference } from './schemas.js';
import { mediaTypes, takesJson } from './request-body.js';
import type { Route } from './routes.js';

const NO_KEY = [new MissingApiKey(), new InvalidApiKey()];
const ALWAYS: readonly DomainError[] = [
  new RateLimitExceeded(42),
  new DailyQuotaExceeded(51_022),
  new ApiKeyBanned(300),
  new InternalError(),
  new ServiceUnavailable(),
];
const WITH_A_BODY: readonly DomainError[] = [
  new ValidationFailed([
    bodyError(['name'], { code: 'length', message: 'name must have 1 to 200 characters' }),
  ]),
  new InvalidJson(),
  new PayloadTooLarge('100 KiB'),
];
const WITHOUT_A_BODY: readonly DomainError[] = [new ValidationFailed([unknownError('query', ['colour'])])];
const WITH_IDEMPOTENCY: readonly DomainError[] = [new IdempotencyInProgress(), new IdempotencyKeyReused()];

const MEANING: Readonly<Record<ErrorKind, string>> = {
  invalid: 'A value is missing or invalid; `details` lists each one.',
  unauthenticated: 'The API key is missing or invalid.',
  forbidden: 'The API key does not allow this.',
  not_found: 'The resource does not exist.',
  method_not_allowed: 'The path does not support this method; `Allow` lists those it supports.',
  not_acceptable: 'The `Accept` header excludes `application/json`.',
  conflict: 'Not possible in the current state.',
  precondition_failed: 'The resource changed since you read the version in `If-Match`.',
  gone: 'No longer available. `code` says why.',
  too_large: 'The body is too large.',
  unsupported_media_type: 'The operation does not accept this media type, charset or `Content-Encoding`.',
  unprocessable: 'The request is well-formed but cannot be processed.',
  rate_limited: 'A rate limit is exceeded. Wait for `Retry-After`, then back off exponentially.',
  internal: 'An error in the service.',
  unavailable: 'The service is temporarily unavailable. Try again after `Retry-After`.',
};
const ERROR = { $ref: '#/components/schemas/Error' };
/** The alternative to an Error, for clients that accept it. */
const PROBLEM: Content = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } };

/** The error responses that most operations share. */
export const COMMON_RESPONSES: Readonly<Record<string, ResponseObject>> = Object.fromEntries(
  byStatus([...NO_KEY, new NotAcceptable(), ...ALWAYS]).map(([status, errors]) => [
    nameOf(status),
    { ...responseTo(errors), headers: headersOf(status) },
  ]),
);

/** Adds the error responses of the pipeline and of the route. */
export function addErrorResponses(operation: OperationObject, route: Route): void {
  for (const [status, errors] of byStatus([...commonErrors(operation, route), ...route.errors])) {
    const described = operation.responses[status] as ResponseObject | undefined;
    const response = responseTo(errors);
    operation.responses[status] = described ? merged(described, response) : shared(status, response);
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (response && !('$ref' in response) && !response.content && /^[45]|default/.test(status))
      addErrorBody(status, response);
  }
}

function commonErrors({ security, ...operation }: OperationObject, route: Route): readonly DomainError[] {
  return [
    ...(security?.length === 0 ? [] : NO_KEY),
    ...(route.produces.length > 0 ? [new NotAcceptable(route.produces)] : []),
    ...ALWAYS,
    ...(takesJson(operation)
      ? [...WITH_A_BODY, UnsupportedMediaType.expecting(mediaTypes(operation))]
      : WITHOUT_A_BODY),
    ...(route.isIdempotent ? WITH_IDEMPOTENCY : []),
  ];
}

/** Errors with the same code share one example, the last one. */
function byStatus(errors: readonly DomainError[]): [status: string, errors: readonly DomainError[]][] {
  const statuses = new Map<string, Map<string, DomainError>>();
  for (const error of errors) {
    const status = String(HTTP_STATUS[error.kind]);
    statuses.set(status, (statuses.get(status) ?? new Map<string, DomainError>()).set(error.code, error));
  }
  return [...statuses].map(([status, codes]) => [status, [...codes.values()]]);
}

/** A reference if the response equals a common one. */
function shared(status: string, response: ErrorResponse): ErrorResponse | { $ref: string } {
  const name = nameOf(status);
  return isDeepStrictEqual(COMMON_RESPONSES[name]?.content, response.content)
    ? { $ref: `#/components/responses/${name}` }
    : response;
}

/** A response with one example per error. All have the same status. */
function responseTo(errors: readonly DomainError[]): ErrorResponse {
  const examples = errors.map((error) => [error.code, { value: ofDomainError(error) }] as const);
  return {
    description: MEANING[errors[0]?.kind ?? 'internal'],
    content: { [JSON_TYPE]: { schema: ERROR, examples: Object.fromEntries(examples) }, ...PROBLEM },
  };
}

type Content = Record<string, { schema?: SchemaOrReference; examples?: object; example?: unknown }>;
type ErrorResponse = ResponseObject & { content: Content };

/** Merges a response from a decorator with that of the pipeline. */
function merged(described: ResponseObject, response: ErrorResponse): ErrorResponse {
  const { content } = described as { content?: Content };
  const own = content?.[JSON_TYPE];
  const examples = {
    ...(own?.example !== undefined && { own: { value: own.example } }),
    ...own?.examples,
    ...response.content[JSON_TYPE]?.examples,
  };
  const schema = own?.schema ? { anyOf: [own.schema, ERROR] } : ERROR;
  return {
    ...described,
    description: described.description || response.description,
    content: { ...content, [JSON_TYPE]: { schema, examples }, ...PROBLEM },
  };
}

/** Adds the body to an error response from a module's decorator: its exceptions become Errors too. */
function addErrorBody(status: string, response: ResponseObject): void {
  const body = ofStatus(Number(status) || 500, response.description);
  const examples = /^\d+$/.test(status) ? { [body.code]: { value: body } } : undefined;
  response.content = { [JSON_TYPE]: { schema: ERROR, ...(examples && { examples }) }, ...PROBLEM };
}

function nameOf(status: string): string {
  return (STATUS_CODES[status] ?? status).replaceAll(' ', '');
}
