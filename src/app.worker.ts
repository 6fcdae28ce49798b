import { type DynamicModule, Module } from '@nestjs/common';
import { FEATURES } from './app.module.js';
import { DatabaseModule } from './database/database.module.js';
import { ErrorsModule } from './http/errors/errors.module.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import type { Config } from './kernel/config/config.js';
import { KernelModule } from './kernel/kernel.module.js';
import { LoggingModule } from './observability/logging/logging.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';

/** The features whose background work can run in a separate process. */
export const WORKERS = FEATURES.filter((feature) => 'hasWorker' in feature);

/** The application of `petstore worker`: only the features with background work, and no HTTP server. */
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
        IdempotencyModule, // the controllers of features use its interceptor
        LoggingModule,
        MetricsModule.with(config, 'worker'),
        ...WORKERS,
      ],
    };
  }
}
