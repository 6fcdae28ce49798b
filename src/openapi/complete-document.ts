import type { OpenAPIObject } from '@nestjs/swagger';
import type { OperationObject, PathItemObject, ResponseObject, SchemaObject } from './openapi-types.js';
import { HTTP_STATUS } from '../errors/http-status.js';
import { commonRefusals } from './common-refusals.js';
import { refusal } from './refusal.js';
import { type HeaderName, headerRefs, HEADERS } from './response-headers.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const ON_EVERY_ANSWER: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];
const ON_STATUS: Readonly<Record<string, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** Adds to every operation what the pipeline does for every operation, so that no controller repeats it. */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  document.components = { ...document.components, headers: { ...HEADERS } };
  for (const operation of operations(document)) {
    addCommonRefusals(operation);
    mark(operation);
    addHeaders(operation);
    closeRequestBody(document, operation);
  }
  return document;
}

function operations({ paths }: OpenAPIObject): OperationObject[] {
  return Object.values(paths).flatMap((path: PathItemObject) =>
    METHODS.flatMap((method) => path[method] ?? []),
  );
}

function addCommonRefusals(operation: OperationObject): void {
  const errors = commonRefusals(operation);
  for (const status of new Set(errors.map(({ kind }) => HTTP_STATUS[kind]))) {
    const common = refusal(errors.filter(({ kind }) => HTTP_STATUS[kind] === status));
    const own = operation.responses[status] as ResponseObject | undefined;
    const examples = {
      ...own?.content?.['application/json']?.examples,
      ...common.content['application/json'].examples,
    };
    operation.responses[status] = {
      ...common,
      content: { 'application/json': { ...common.content['application/json'], examples } },
    };
  }
}

/** The marks that decorators left as extensions, put where a reader sees them. */
function mark(operation: OperationObject): void {
  const marks = operation as OperationObject & { 'x-stability'?: string; 'x-deprecated-sunset'?: string };
  if (marks['x-stability']) operation.summary = `${operation.summary ?? ''} (${marks['x-stability']})`;
  if (marks['x-deprecated-sunset']) {
    operation.deprecated = true;
    operation.summary = `${operation.summary ?? ''} (until ${marks['x-deprecated-sunset']})`;
  }
}

function addHeaders(operation: OperationObject): void {
  for (const [status, response] of Object.entries(operation.responses) as [string, ResponseObject][]) {
    const afterTheGuards = ['200', '404', '410'].includes(status);
    response.headers = {
      ...headerRefs([
        ...ON_EVERY_ANSWER,
        ...(ON_STATUS[status] ?? []),
        ...(operation.deprecated && afterTheGuards ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
      ]),
      ...response.headers,
    };
  }
}

/** What a body's schema does not name is refused, and the document says so. */
function closeRequestBody(document: OpenAPIObject, { requestBody }: OperationObject): void {
  const schema =
    requestBody && 'content' in requestBody ? requestBody.content['application/json']?.schema : undefined;
  if (!schema || !('$ref' in schema)) return;
  const component = document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''];
  if (component) (component as SchemaObject).additionalProperties = false;
}
