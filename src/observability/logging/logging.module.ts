import { Global, Module } from '@nestjs/common';
import { settingsProvider } from '../../kernel/config/config.js';
import { ObservabilityConfig } from '../observability.config.js';
import { Logger } from './logger.js';
import { RequestLog } from './request-log.js';
import { standardOutput } from './standard-output.js';

@Global()
@Module({
  providers: [
    settingsProvider(ObservabilityConfig),
    {
      provide: Logger,
      inject: [ObservabilityConfig],
      useFactory: async (config: ObservabilityConfig) => new Logger(config, await standardOutput()),
    },
    RequestLog,
  ],
  exports: [ObservabilityConfig, Logger, RequestLog],
})
export class LoggingModule {}
