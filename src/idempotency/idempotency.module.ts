import { Global, Module } from '@nestjs/common';
import { FirstResponses } from './first-responses.js';
import { StoredResponses, StoredResponsesCleanup } from './stored-responses.js';

@Global()
@Module({ providers: [StoredResponses, StoredResponsesCleanup, FirstResponses], exports: [FirstResponses] })
export class IdempotencyModule {}
