import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from './database/database.module.js';
import { ErrorsModule } from './http/errors/errors.module.js';
import { HttpModule } from './http/http.module.js';
import type { Config } from './kernel/config/config.js';
import { KernelModule } from './kernel/kernel.module.js';
import { LoggingModule } from './observability/logging/logging.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The application of `petstore worker`: it delivers webhooks. */
@Module({})
export class WorkerModule {
  static with(config: Config, databaseUrl: string): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        KernelModule.with(config),
        HttpModule,
        DatabaseModule.with(config, databaseUrl),
        ErrorsModule,
        LoggingModule,
        MetricsModule.with(config, 'worker'),
        WebhooksModule,
      ],
    };
  }
}
