import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Config } from '../../kernel/config/config.js';
import { DatabaseState } from './database-state.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

@Module({
  imports: [
    TerminusModule.forRootAsync({
      inject: [Config],
      useFactory: ({ shutdownGrace }: Config) => ({
        logger: false, // a probe a second would fill the log
        gracefulShutdownTimeoutMs: shutdownGrace, // unready from SIGTERM on, for this long before anything closes
      }),
    }),
  ],
  controllers: [HealthController],
  providers: [DatabaseState, Readiness],
  exports: [Readiness, TerminusModule],
})
export class HealthModule {}
