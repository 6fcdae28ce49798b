import { Global, Module } from '@nestjs/common';
import { ExpiredAnswers } from './expired-answers.js';
import { Idempotency } from './idempotency.js';
import { KeptAnswers } from './kept-answers.js';

@Global()
@Module({ providers: [Idempotency, KeptAnswers, ExpiredAnswers], exports: [Idempotency] })
export class IdempotencyModule {}
