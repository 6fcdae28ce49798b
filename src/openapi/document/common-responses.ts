import { STATUS_CODES } from 'node:http';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { EVERY_OPERATION, WITH_A_BODY, WITH_IDEMPOTENCY, WITHOUT_A_BODY } from './common-refusals.js';
import type { OperationObject, ResponseObject } from '../decorators/openapi-types.js';
import { byStatus, type Refusal, refusal } from '../decorators/refusal.js';
import { isPublicOperation } from './public-operation.js';
import { isIdempotent } from './idempotent-operation.js';
import { headersOf } from './response-headers.js';

const nameOf = (status: string): string => (STATUS_CODES[status] ?? status).replaceAll(' ', '');

/** The refusals that are the same for every operation, each defined once. */
export const COMMON_RESPONSES: Readonly<Record<string, ResponseObject>> = Object.fromEntries(
  byStatus(EVERY_OPERATION).map(([status, errors]) => [
    nameOf(status),
    { ...refusal(errors), headers: headersOf(status) },
  ]),
);

/** Adds what any operation of this shape may be refused with to its own refusals. */
export function addCommonRefusals(operation: OperationObject): void {
  const { requestBody, responses } = operation;
  for (const [status, errors] of byStatus(EVERY_OPERATION)) {
    if (status === '401' && isPublicOperation(operation)) continue;
    responses[status] = responses[status]
      ? merged(responses[status] as Refusal, errors)
      : { $ref: `#/components/responses/${nameOf(status)}` };
  }
  const own = [
    ...(requestBody ? WITH_A_BODY : WITHOUT_A_BODY),
    ...(isIdempotent(operation) ? WITH_IDEMPOTENCY : []),
  ];
  for (const [status, errors] of byStatus(own)) {
    responses[status] = merged(responses[status] as Refusal | undefined, errors);
  }
}

function merged(own: Refusal | undefined, errors: readonly DomainError[]): ResponseObject {
  const response = refusal(errors);
  Object.assign(response.content['application/json'].examples, own?.content['application/json'].examples);
  return { ...response };
}
