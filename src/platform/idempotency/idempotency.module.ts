import { Module } from '@nestjs/common';
import { IdempotencyClaims } from './idempotency-claims.js';
import { IdempotentRequests } from './idempotent-requests.js';
import { IdempotentResponses } from './idempotent-responses.js';

@Module({
  providers: [IdempotentResponses, IdempotencyClaims, IdempotentRequests],
  exports: [IdempotentRequests],
})
export class IdempotencyModule {}
