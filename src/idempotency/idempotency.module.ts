import { Global, Module } from '@nestjs/common';
import { FirstResponses } from './first-responses.js';
import { StoredResponsesCleanup } from './stored-responses.cleanup.js';
import { StoredResponses } from './stored-responses.js';

@Global()
@Module({ providers: [StoredResponses, StoredResponsesCleanup, FirstResponses], exports: [FirstResponses] })
export class IdempotencyModule {}
