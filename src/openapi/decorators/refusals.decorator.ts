import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { DomainError } from '../../kernel/errors/domain-error.js';
import { byStatus, refusal } from './refusal.js';

/** Documents the refusals that only this operation has. Those every operation has are added to all of them. */
export function ApiRefusals(...errors: readonly DomainError[]): MethodDecorator {
  return applyDecorators(
    ...byStatus(errors).map(([status, causes]) =>
      ApiResponse({ status: Number(status), ...refusal(causes) }),
    ),
  );
}
