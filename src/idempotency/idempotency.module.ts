import { Global, Module } from '@nestjs/common';
import { StoredResponsesCleanup } from './stored-responses.cleanup.js';
import { StoredResponses } from './stored-responses.js';

@Global()
@Module({ providers: [StoredResponses, StoredResponsesCleanup], exports: [StoredResponses] })
export class IdempotencyModule {}
