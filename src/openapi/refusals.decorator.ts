import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { DomainError } from '../errors/domain-error.js';
import { HTTP_STATUS } from '../errors/http-status.js';
import { refusal } from './refusal.js';

/** Documents the refusals that only this operation has. Those every operation has are added to all of them. */
export function ApiRefusals(...errors: readonly DomainError[]): MethodDecorator {
  const statuses = [...new Set(errors.map(({ kind }) => HTTP_STATUS[kind]))];
  return applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({ status, ...refusal(errors.filter(({ kind }) => HTTP_STATUS[kind] === status)) }),
    ),
  );
}
