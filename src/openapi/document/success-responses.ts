import { STATUS_CODES } from 'node:http';
import { JSON_TYPE } from '../../http/route/produced-types.js';
import { type HeaderName, references } from './headers.js';
import type { OperationObject, ParameterObject, ResponseObject, SchemaOrReference } from './schemas.js';
import type { Route } from './routes.js';

/** The media type of Nest's response if the handler returns a primitive. */
const TEXT_TYPE = 'text/html';
const PRIMITIVES: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];
const ETAG: HeaderName = 'ETag';

/** Sets the status and media type of the success response to those of the route. */
export function completeSuccess({ responses }: OperationObject, route: Route): void {
  if (route.redirects) delete responses[200];
  const successes = Object.keys(responses).filter((status) => /^[23]|default/.test(status));
  if (successes.length === 0) responses[route.status] = { description: '' };
  for (const status of Object.keys(responses).filter((one) => /^[23]/.test(one))) {
    const response = responses[status] as ResponseObject | { $ref: string };
    if ('$ref' in response) continue;
    response.description ||= STATUS_CODES[status] ?? 'Success';
    if (route.redirects && status === String(route.status))
      response.headers = { Location: LOCATION, ...response.headers };
    else if (status.startsWith('2')) completeContent(response, status, route.produces);
  }
}

const LOCATION = { description: 'URL of the redirect.', schema: { type: 'string' } };

function completeContent(response: ResponseObject, status: string, produces: readonly string[]): void {
  const content = response.content;
  const [type] = produces;
  if (!content) {
    const isEmpty = status === '204' || status === '205';
    if (type !== undefined && type !== JSON_TYPE && !isEmpty)
      response.content = { [type]: { schema: schemaOf(type) } };
    return;
  }
  const json = content[JSON_TYPE];
  if (!json || Object.keys(content).length > 1) return;
  const own = type ?? (isPrimitive(json.schema) ? TEXT_TYPE : JSON_TYPE);
  response.content = { [own]: json };
}

const schemaOf = (type: string): SchemaOrReference =>
  /^text\/|[+/]xml$/.test(type)
    ? { type: 'string' }
    : /[+/]json$/.test(type)
      ? {}
      : { type: 'string', format: 'binary' };

function isPrimitive(schema: SchemaOrReference | undefined): boolean {
  return schema !== undefined && 'type' in schema && PRIMITIVES.includes(schema.type);
}

/** A header of every GET that returns JSON. */
const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'One or more `ETag`s of earlier responses. If one still matches, the response is 304 without a body.',
  schema: { type: 'string', examples: ['"q83vEjRWeJASNFZ4kKvN7w"'] }, // not `example`, which the Swagger UI would send
};

/** Adds `ETag`, `If-None-Match` and 304 to a GET whose success response is JSON. */
export function addNotModified(operation: OperationObject): void {
  const { parameters = [], responses } = operation;
  const ok = responses['200'];
  if (!ok || '$ref' in ok || !(ok.content && JSON_TYPE in ok.content)) return;
  const isDescribed = parameters.some((one) => 'name' in one && one.name === IF_NONE_MATCH.name);
  operation.parameters = isDescribed ? parameters : [...parameters, IF_NONE_MATCH];
  ok.headers = { ...references([ETAG]), ...ok.headers };
  responses['304'] ??= { description: 'Not modified since the response with this `ETag`.' };
}
