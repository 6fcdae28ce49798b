import type { OperationObject, ParameterObject, ResponseObject } from '../decorators/openapi-types.js';
import { references } from './response-headers.js';

/** A header that every GET takes. */
const IF_NONE_MATCH: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier answer, or several. While it still holds, the answer is 304.',
  schema: { type: 'string', example: '"q83vEjRWeJASNFZ4kKvN7w"' },
};

/** Adds what `ETag` and `If-None-Match` mean for an operation that reads. */
export function addNotModified(operation: OperationObject): void {
  operation.parameters = [...(operation.parameters ?? []), IF_NONE_MATCH];
  const ok = operation.responses['200'] as ResponseObject;
  ok.headers = { ...references(['ETag']), ...ok.headers };
  operation.responses['304'] = { description: 'Nothing has changed since the answer with this `ETag`.' };
}
