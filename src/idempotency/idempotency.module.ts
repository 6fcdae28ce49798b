import { Global, Module } from '@nestjs/common';
import { FirstResponses } from './first-responses.js';
import { StoredResponses } from './stored-responses.js';

@Global()
@Module({ providers: [StoredResponses, FirstResponses], exports: [FirstResponses] })
export class IdempotencyModule {}
