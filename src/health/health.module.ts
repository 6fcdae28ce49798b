import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { DatabaseState } from './database-state.js';
import { Readiness } from './readiness.js';

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), RateLimitModule], // a probe a second would fill the log
  providers: [DatabaseState, Readiness],
})
export class HealthModule {}
