import { STATUS_CODES } from 'node:http';
import type { DomainError } from '../errors/domain-error.js';
import { HTTP_STATUS } from '../errors/http-status.js';

/** A refusal as the document shows it. */
export interface Refusal {
  readonly description: string;
  readonly content: { 'application/json': { schema: { $ref: string }; examples: Record<string, Example> } };
}

interface Example {
  readonly summary: string;
  readonly value: object;
}

/** A response of the document from the very errors that cause it: one example each. They share one status. */
export function refusal(errors: readonly DomainError[]): Refusal {
  const status = HTTP_STATUS[errors[0]?.kind ?? 'internal'];
  return {
    description: STATUS_CODES[status] ?? '',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(errors.map((error) => [error.code, example(error)])),
      },
    },
  };
}

function example({ kind, code, message, details }: DomainError): Example {
  return {
    summary: message,
    value: { code, message, status: HTTP_STATUS[kind], ...(details && { details }) },
  };
}
