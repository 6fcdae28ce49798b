import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { PreconditionFailed } from '../../http/conditional/if-match.js';
import { ApiErrors } from './api-errors.decorator.js';

/** The `ETag` of what a change has left behind. */
export const ETAG_HEADER = {
  ETag: {
    description:
      'The version of the resource, as a GET of it has it. Send it in `If-Match` with the next change.',
    schema: { type: 'string' as const },
    example: '"q83vEjRWeJASNFZ4kKvN7w"',
  },
};

export const LOCATION_HEADER = {
  Location: {
    description: 'The address of what was created.',
    schema: { type: 'string' as const, format: 'uri-reference' },
    example: '/v1/pets/42',
  },
};

/** Documents an operation that takes `If-Match`, so that concurrent changes are not lost (RFC 9110, section 13.1.1). */
export const ApiIfMatch = (): MethodDecorator =>
  applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      description:
        'The `ETag` of the version that you read, or several, or `*`. On a mismatch the response is 412 `precondition_failed`. If omitted, nothing is checked.',
      schema: { type: 'string' },
    }),
    ApiErrors(new PreconditionFailed()),
  );
