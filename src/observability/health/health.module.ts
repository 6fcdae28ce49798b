import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HttpConfig } from '../../http/http.config.js';
import { Readiness } from './readiness.js';
import { HealthController } from './health.controller.js';

@Module({
  imports: [
    TerminusModule.forRootAsync({
      inject: [HttpConfig],
      useFactory: ({ shutdownGrace }: HttpConfig) => ({
        logger: false, // each probe would be a line
        gracefulShutdownTimeoutMs: shutdownGrace, // unready from SIGTERM until the port closes
      }),
    }),
  ],
  controllers: [HealthController],
  providers: [Readiness],
  exports: [Readiness, TerminusModule],
})
export class HealthModule {}
