import { STATUS_CODES } from 'node:http';
import { malformedCondition } from '../../../http/conditional/if-match.js';
import { UnsupportedMediaType } from '../../../http/core/body/body.errors.js';
import { SECURITY_SCHEME } from '../../../http/core/operation-marks.js';
import { InvalidHost } from '../../../http/core/request-head.js';
import { malformedKey } from '../../../writes/idempotency/idempotency-key.js';
import { ofDomainError, ofStatus } from '../../../kernel/errors/error-body.js';
import { DomainError } from '../../../kernel/errors/domain-error.js';
import { type ErrorKind, HTTP_STATUS } from '../../../kernel/errors/error-kind.js';
import {
  ALWAYS,
  missingProperty,
  NO_KEY,
  UNKNOWN_PARAMETER,
  UNKNOWN_PROPERTY,
  WITH_A_BODY,
  WITH_ANOTHER_BODY,
  WITH_IDEMPOTENCY,
} from '../pipeline-errors.js';
import { headersOfStatus } from './headers.js';
import type { OperationObject, ResponseObject, SchemaObject, SchemasObject } from './schemas.js';
import type { Route } from './routes.js';

/**
 * What Nest throws if the form has no file, one in another field, or one that `ParseFilePipe` refuses. Not in
 * the catalogue: its code is only the name of the status.
 */
const NO_FILE = ofStatus(400, 'File is required');
const WITH_FILES: readonly DomainError[] = [new DomainError('invalid', NO_FILE.code, NO_FILE.message)];

const MEANING: Readonly<Partial<Record<ErrorKind, string>>> = {
  invalid: 'A value is missing or invalid; `details` lists each one.',
  unauthenticated: 'The API key is missing or invalid.',
  forbidden: 'The API key does not allow this.',
  not_found: 'The resource does not exist.',
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
const ERROR = { schema: { $ref: '#/components/schemas/Error' } };

/** The error responses that most operations share. */
export const COMMON_RESPONSES: Readonly<Record<string, ResponseObject>> = Object.fromEntries(
  byStatus([...NO_KEY, ...ALWAYS]).map(([status, errors]) => [
    responseName(status),
    { ...responseTo(errors), headers: headersOfStatus(status) },
  ]),
);

/**
 * Adds the error responses of the pipeline and of the route. A response that a decorator describes keeps its
 * own content.
 */
export function addErrorResponses(operation: OperationObject, route: Route, schemas: SchemasObject): void {
  const { responses } = operation;
  for (const [status, errors] of byStatus([...commonErrors(operation, route, schemas), ...route.errors])) {
    const response = responseTo(errors);
    const own = responses[status] as ResponseObject | undefined;
    responses[status] = { ...response, ...own };
  }
  for (const [status, response] of Object.entries(responses))
    if (response && !('$ref' in response) && /^[45]|default/.test(status))
      response.content ??= { 'application/json': ERROR };
}

function commonErrors(
  operation: OperationObject,
  route: Route,
  schemas: SchemasObject,
): readonly DomainError[] {
  const { security, requestBody } = operation;
  const content: Content = requestBody && 'content' in requestBody ? requestBody.content : {};
  const documented = Object.keys(content);
  const mediaTypes = documented.length > 0 ? documented : route.consumes;
  const isJson = mediaTypes.includes('application/json');
  const hasFiles = mediaTypes.includes('multipart/form-data');
  return [
    ...(needsKey(security) ? NO_KEY : []),
    ...ALWAYS,
    ...(mediaTypes.length === 0
      ? []
      : [...(isJson ? WITH_A_BODY : WITH_ANOTHER_BODY), UnsupportedMediaType.expecting(mediaTypes)]),
    ...(route.hasBodyRules ? [mistakeInBody(Object.values(content)[0]?.schema, schemas)] : []),
    ...(hasFiles ? WITH_FILES : []),
    ...(isJson || hasFiles || route.hasBodyRules ? [] : [mistakeWithoutBody(operation, route)]),
    ...(route.isIdempotent ? WITH_IDEMPOTENCY : []),
  ];
}

/** Without requirements of its own, an operation has those of the document: the key. */
const needsKey = (security: OperationObject['security']): boolean =>
  security?.some((requirement) => SECURITY_SCHEME in requirement) ?? true;

type Content = Readonly<Record<string, { readonly schema?: SchemaObject | { readonly $ref: string } }>>;

/**
 * An example of a 400 of an operation without a body, or with one that has no rules: of what it reads, or of what every
 * request must have.
 */
function mistakeWithoutBody({ parameters = [] }: OperationObject, route: Route): DomainError {
  if (route.hasQueryRules) return UNKNOWN_PARAMETER;
  if (route.isIdempotent) return malformedKey();
  const isConditional = parameters.some((one) => 'name' in one && one.name === 'If-Match');
  return isConditional ? malformedCondition('If-Match') : new InvalidHost();
}

/** An example of a 400 of an operation whose body has a DTO. */
function mistakeInBody(schema: Content[string]['schema'], schemas: SchemasObject): DomainError {
  const whole = schema && '$ref' in schema ? schemas[schema.$ref.replace(/^.*\//, '')] : schema;
  const [property] = (whole && 'required' in whole ? whole.required : undefined) ?? [];
  return property === undefined ? UNKNOWN_PROPERTY : missingProperty(property);
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

/** A response with one example per error. All have the same status. */
function responseTo(errors: readonly DomainError[]): ResponseObject {
  const [{ kind }] = errors as [DomainError];
  const examples = Object.fromEntries(errors.map((error) => [error.code, { value: ofDomainError(error) }]));
  const { [kind]: description = STATUS_CODES[HTTP_STATUS[kind]] ?? '' } = MEANING;
  return { description, content: { 'application/json': { ...ERROR, examples } } };
}

/** The name of a component. */
export function responseName(status: string): string {
  return (STATUS_CODES[status] ?? status).replaceAll(' ', '');
}
