import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HttpConfig } from '../../http/core/http.config.js';
import { HttpModule } from '../../http/core/http.module.js';
import { Readiness } from './readiness.js';
import { HealthController } from './health.controller.js';

@Module({
  imports: [
    TerminusModule.forRootAsync({
      imports: [HttpModule],
      inject: [HttpConfig],
      useFactory: ({ shutdownGrace }: HttpConfig) => ({
        logger: false, // otherwise each failed probe logs a line
        gracefulShutdownTimeoutMs: shutdownGrace, // not ready from SIGTERM until the port closes
      }),
    }),
  ],
  controllers: [HealthController],
  providers: [Readiness],
  exports: [Readiness, TerminusModule],
})
export class HealthModule {}
