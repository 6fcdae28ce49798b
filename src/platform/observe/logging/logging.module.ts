import { Module } from '@nestjs/common';
import { settingsProvider } from '../../kernel/config/config.js';
import { LoggingConfig } from './logging.config.js';
import { Logger } from './logger.js';
import { RequestLog } from './request-log.js';
import { standardOutput } from './standard-output.js';

@Module({
  providers: [
    settingsProvider(LoggingConfig),
    {
      provide: Logger,
      inject: [LoggingConfig],
      useFactory: async (config: LoggingConfig) => new Logger(config, await standardOutput()),
    },
    RequestLog,
  ],
  exports: [Logger, RequestLog],
})
export class LoggingModule {}
