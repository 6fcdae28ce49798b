import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { FEATURES } from './app.module.js';
import { DatabaseModule } from './database/database.module.js';
import { ErrorsModule } from './http/errors/errors.module.js';
import { HttpModule } from './http/http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import type { Config } from './kernel/config/config.js';
import { KernelModule } from './kernel/kernel.module.js';
import { LoggingModule } from './observability/logging/logging.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';

/** A feature whose background work can run in a separate process. `worker` is the provider that starts it. */
interface WorkingFeature extends Type {
  readonly worker: Type<{ work(): void }>;
}

export const WORKERS = FEATURES.filter((feature): feature is WorkingFeature => 'worker' in feature);

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
