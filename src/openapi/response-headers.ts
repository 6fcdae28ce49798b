import type { HeadersObject } from './openapi-types.js';

const integer = { type: 'integer', format: 'int64' };
const text = { type: 'string' };

/** Every header the service answers with, defined once and referred to by each response. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      'Names this request in our log. Your own is kept when it is 1 to 128 printable ASCII characters.',
    schema: text,
    example: '6f1c2c1e-8d7a-4b62-9d3c-0a4f5f0a1b2c',
  },
  'X-RateLimit-Limit': {
    description: 'The limit of the window with the fewest requests left.',
    schema: integer,
    example: 60,
  },
  'X-RateLimit-Remaining': { description: 'Requests left in that window.', schema: integer, example: 59 },
  'X-RateLimit-Reset': {
    description: 'When that window ends: Unix time in seconds.',
    schema: integer,
    example: 1795132860,
  },
  'RateLimit-Policy': {
    description: 'Each window: its quota `q` in requests and its length `w` in seconds (IETF draft).',
    schema: text,
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description: 'Each window: requests remaining `r`, seconds `t` until it resets (IETF draft).',
    schema: text,
    example: '"minute";r=59;t=60, "day";r=811;t=51022',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { ...integer, minimum: 1 },
    example: 42,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    schema: text,
    example: 'Bearer realm="petstore", error="invalid_token"',
  },
  Deprecation: {
    description: 'Since when the operation is deprecated (RFC 9745).',
    schema: text,
    example: '@1795132800',
  },
  Sunset: {
    description: 'When the operation is removed (RFC 8594).',
    schema: text,
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  Link: {
    description: 'The successor and the documentation of the deprecation (RFC 8288).',
    schema: text,
    example: '<http://127.0.0.1:3000/v1/pets>; rel="successor-version"',
  },
} as const satisfies HeadersObject;

export type HeaderName = keyof typeof HEADERS;

export const headerRefs = (names: readonly HeaderName[]): HeadersObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
