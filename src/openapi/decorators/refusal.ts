import type { DomainError, ErrorKind } from '../../kernel/errors/domain-error.js';
import { HTTP_STATUS } from '../../http/errors/http-status.js';

const MEANING: Readonly<Record<ErrorKind, string>> = {
  invalid: 'A value is missing or not valid; `details` names each one.',
  unauthenticated: 'No API key, or one that is not valid.',
  forbidden: 'The API key does not allow this.',
  not_found: 'No such resource.',
  method_not_allowed: 'The path does not take this method; `Allow` names those it takes.',
  not_acceptable: 'The `Accept` header excludes `application/json`.',
  conflict: 'Not possible in the present state.',
  gone: 'It was there once, and has been removed.',
  too_large: 'The body is too large.',
  unsupported_media_type: 'The body is not `application/json`.',
  unprocessable: 'Understood, but it contradicts something sent before.',
  rate_limited: 'A limit of the plan is reached. Wait for `Retry-After`, then back off exponentially.',
  internal: 'A fault of the service.',
  unavailable: 'The service cannot answer now. Try again after `Retry-After`.',
};

/** A refusal as the document shows it. */
export interface Refusal {
  readonly description: string;
  readonly content: {
    'application/json': { schema: { $ref: string }; examples: Record<string, { value: object }> };
  };
}

/** A response of the document from the very errors that cause it: one example each. They share one status. */
export function refusal(errors: readonly DomainError[]): Refusal {
  return {
    description: MEANING[errors[0]?.kind ?? 'internal'],
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(errors.map((error) => [error.code, { value: body(error) }])),
      },
    },
  };
}

export function byStatus(errors: readonly DomainError[]): [status: string, DomainError[]][] {
  const statuses = new Map<string, DomainError[]>();
  for (const error of errors) {
    const status = String(HTTP_STATUS[error.kind]);
    statuses.set(status, [...(statuses.get(status) ?? []), error]);
  }
  return [...statuses];
}

const body = ({ kind, code, message, details }: DomainError) => ({
  code,
  message,
  status: HTTP_STATUS[kind],
  ...(details && { details }),
});
