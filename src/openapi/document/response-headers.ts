import type { HeaderName } from './headers.js';
import { isIdempotent } from './idempotent-operation.js';
import type { HeadersObject, OperationObject, ResponseObject } from '../decorators/openapi-types.js';

const ON_EVERY_ANSWER: readonly HeaderName[] = [
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
/** The others may come from before the deprecated handler. */
const FROM_THE_HANDLER = ['200', '201', '304', '404', '410'];

/** What every answer of this status carries. */
export const headersOf = (status: string): HeadersObject =>
  references([...ON_EVERY_ANSWER, ...(ON_STATUS[status] ?? [])]);

/** Adds to each answer what the pipeline sends with it, unless the answer is a reference that already has it. */
export function addHeaders(operation: OperationObject): void {
  const { responses, deprecated, security } = operation;
  const idempotent = isIdempotent(operation);
  for (const [status, response] of Object.entries(responses) as [string, ResponseObject | Reference][]) {
    if ('$ref' in response) continue;
    response.headers = {
      ...headersOf(status),
      ...(security && status === '403' && references(['WWW-Authenticate'])),
      ...(deprecated && FROM_THE_HANDLER.includes(status) && references(WHEN_DEPRECATED)),
      ...(idempotent && WHEN_IDEMPOTENT[status]),
      ...response.headers,
    };
  }
}

interface Reference {
  readonly $ref: string;
}

export const references = (names: readonly HeaderName[]): HeadersObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const REPLAYED = references(['Idempotent-Replayed']);
const WHEN_IDEMPOTENT: Readonly<Record<string, HeadersObject>> = {
  200: REPLAYED,
  201: REPLAYED,
  204: REPLAYED,
  409: {
    'Retry-After': {
      description: 'Seconds to wait, with `idempotency_in_progress`.',
      schema: { type: 'integer', format: 'int64', minimum: 1 },
      example: 1,
    },
  },
};
