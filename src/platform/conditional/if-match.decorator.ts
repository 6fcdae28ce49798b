import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { ifMatchCondition, PreconditionFailed } from './if-match.condition.js';
import { ApiErrors } from '../errors/api-errors.decorator.js';
import { requestParameter } from '../http/request-parameter.js';

/** The usual form of a header: any version, or a list of tags. */
const TAGS = String.raw`^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$`;

const HEADERS = {
  'If-Match':
    'The `ETag` of the version you read, with its quotes, several of them, or `*`. On a mismatch you get 412 ' +
    '`precondition_failed`, also for a weak tag (`W/"…"`), as proxies make it that compress responses. If omitted, nothing is checked.',
  'If-None-Match':
    'Versions that the resource must not have, or `*` for any. If it has one of them, you get 412 `precondition_failed`.',
};

const Expected = requestParameter((context) =>
  ifMatchCondition(context.switchToHttp().getRequest<Request>().headers),
);

/**
 * Reads the version that the client expects, so that concurrent changes are not lost (RFC 9110, section
 * 13.1): `@IfMatch() condition: IfMatchCondition`. `If-None-Match` is part of the condition. Documents both
 * headers and the 412.
 */
export const IfMatch = (): ParameterDecorator => (target, method, index) => {
  Expected()(target, method, index);
  const handler = method === undefined ? undefined : Object.getOwnPropertyDescriptor(target, method);
  if (method === undefined || !handler) throw new TypeError('@IfMatch() is for a parameter of a handler');
  for (const [name, description] of Object.entries(HEADERS))
    ApiHeader({
      name,
      required: false,
      description,
      // The Swagger UI sends an `example`: `*` would refuse every change there.
      schema: { type: 'string', pattern: TAGS, ...(name === 'If-Match' && { example: '*' }) },
    })(target, method, handler);
  ApiErrors(new PreconditionFailed())(target, method, handler);
};
