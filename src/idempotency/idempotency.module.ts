import { Global, Module } from '@nestjs/common';
import { ExpiredAnswers } from './expired-answers.js';
import { KeptAnswers } from './kept-answers.js';

@Global()
@Module({ providers: [KeptAnswers, ExpiredAnswers], exports: [KeptAnswers] })
export class IdempotencyModule {}
