import { challenge } from '../../../access/auth/auth.errors.js';
import { type Deprecation, deprecationHeaders } from '../../../http/deprecation/deprecation.js';
import type { HeadersObject, OperationObject, ParameterObject, ResponseObject } from './schemas.js';
import type { Route } from './routes.js';

const integer = { type: 'integer', format: 'int64', minimum: 0 };
const text = { type: 'string' };

/** A header that is always present. */
const header = (description: string, example: string | number) => ({
  required: true,
  description,
  schema: typeof example === 'number' ? integer : text,
  example,
});

/** What announces a deprecation, for a document without one, which references no such header. */
const NONE: Deprecation = {
  since: '2026-11-20',
  sunset: '2030-12-05',
  successor: '/v1',
  use: 'another operation',
};

/**
 * The response headers, which responses reference.
 * @param base address of the service, without `/v1`
 * @param deprecation of an operation, as an example
 */
export const headers = (base: string, deprecation: Deprecation = NONE) => {
  const announced = deprecationHeaders(deprecation, base);
  return {
    'X-Request-Id': header(
      'Identifies this request in the logs. Your own id is kept if it has 1 to 128 printable ASCII characters.',
      '6f1c2c1e-8d7a-4b62-9d3c-0a4f5f0a1b2c',
    ),
    'X-RateLimit-Limit': header('The limit of the window with the fewest requests left.', 60),
    'X-RateLimit-Remaining': header('Requests left in that window.', 59),
    'X-RateLimit-Reset': header('When that window ends (Unix time in seconds).', 1795132860),
    'RateLimit-Policy': header(
      'For each window, its quota `q` in requests and its length `w` in seconds (IETF draft).',
      '"minute";q=60;w=60, "day";q=1000;w=86400',
    ),
    RateLimit: header(
      'For each window, the requests left `r` and the seconds `t` until it resets (IETF draft).',
      '"minute";r=59;t=60, "day";r=811;t=51022',
    ),
    'Retry-After': {
      required: true,
      description: 'Seconds to wait before the next request.',
      schema: { ...integer, minimum: 1 },
      example: 42,
    },
    'Idempotent-Replayed': {
      description: '`true` if this is the stored first response.',
      schema: { type: 'string', enum: ['true'] },
      example: 'true',
    },
    ETag: header(
      'Identifies this version of the content. Send it in `If-None-Match` to get 304 instead of the same body (RFC 9110).',
      '"q83vEjRWeJASNFZ4kKvN7w"',
    ),
    'WWW-Authenticate': header('How to authenticate (RFC 6750).', challenge({ error: 'invalid_token' })),
    Deprecation: header('When the operation was deprecated (RFC 9745).', announced.Deprecation),
    Sunset: header('When the operation will be removed (RFC 8594).', announced.Sunset),
    Link: header('The successor and the deprecation notice (RFC 8288).', announced.Link),
  } as const satisfies HeadersObject;
};

export type HeaderName = keyof ReturnType<typeof headers>;

export const EVERY_RESPONSE_HEADER: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];
const ON_STATUS: Readonly<Record<string, readonly HeaderName[]>> = {
  304: ['ETag'],
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
const WHEN_DEPRECATED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];
/**
 * Responses with other statuses may come from a step before the interceptor, so these headers may be absent.
 */
const FROM_THE_HANDLER = ['200', '201', '304', '404', '410'];

/** The headers of every response with this status. */
export const headersOfStatus = (status: string): HeadersObject =>
  references([...EVERY_RESPONSE_HEADER, ...(ON_STATUS[status] ?? [])]);

/** Adds the headers of the pipeline to each response that is not a reference. */
export function addHeaders({ responses, security }: OperationObject, route: Route): void {
  for (const [status, response] of Object.entries(responses) as [string, ResponseObject | Reference][]) {
    if ('$ref' in response) continue;
    response.headers = {
      ...headersOfStatus(status),
      ...(security && status === '403' && references(['WWW-Authenticate'])),
      ...(route.deprecation && FROM_THE_HANDLER.includes(status) && references(WHEN_DEPRECATED)),
      ...(route.isIdempotent && WHEN_IDEMPOTENT[status]),
      ...response.headers,
    };
  }
}

interface Reference {
  readonly $ref: string;
}

const references = (names: readonly HeaderName[]): HeadersObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const REPLAYED = references(['Idempotent-Replayed']);
const WHEN_IDEMPOTENT: Readonly<Record<string, HeadersObject>> = {
  200: REPLAYED,
  201: REPLAYED,
  204: REPLAYED,
  409: {
    'Retry-After': {
      description: 'Seconds to wait before retrying after `idempotency_in_progress`.',
      schema: { type: 'integer', format: 'int64', minimum: 1 },
      example: 1,
    },
  },
};

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
  if (!ok || '$ref' in ok || !(ok.content && 'application/json' in ok.content)) return;
  const isDescribed = parameters.some((one) => 'name' in one && one.name === IF_NONE_MATCH.name);
  operation.parameters = isDescribed ? parameters : [...parameters, IF_NONE_MATCH];
  ok.headers = { ...references(['ETag']), ...ok.headers };
  responses['304'] ??= { description: 'Not modified since the response with this `ETag`.' };
}
