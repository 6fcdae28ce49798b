import { Global, Module } from '@nestjs/common';
import { Config } from '../../kernel/config/config.js';
import { Logger } from './logger.js';
import { RequestLog } from './request-log.js';
import { standardOutput } from './standard-output.js';

@Global()
@Module({
  providers: [
    {
      provide: Logger,
      inject: [Config],
      useFactory: async (config: Config) => new Logger(config, await standardOutput()),
    },
    RequestLog,
  ],
  exports: [Logger, RequestLog],
})
export class LoggingModule {}
