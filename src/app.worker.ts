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

/** A feature with work that a process of its own can do: one of its providers begins it. */
interface WorkingFeature extends Type {
  readonly worker: Type<{ work(): void }>;
}

export const WORKERS = FEATURES.filter((feature): feature is WorkingFeature => 'worker' in feature);

/** The application of `petstore worker`: the features that have work for it, without requests. */
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
        IdempotencyModule, // controllers of a feature name its interceptor
        LoggingModule,
        MetricsModule.with(config, 'worker'),
        ...WORKERS,
      ],
    };
  }
}
