import { type DynamicModule, Module } from '@nestjs/common';
import { FEATURES } from './app.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { ErrorsModule } from './platform/errors/errors.module.js';
import { HttpModule } from './platform/http/http.module.js';
import type { Config } from './platform/config/config.js';
import { BaseModule } from './platform/bootstrap/base.module.js';
import { LoggingModule } from './platform/logging/logging.module.js';
import { MetricsModule } from './platform/metrics/metrics.module.js';

/** The features whose background work can run in a separate process. */
export const WORKERS = FEATURES.filter(({ hasWorker = false }) => hasWorker);

/** The application of `petstore worker`: only the features with background work, and no HTTP server. */
@Module({})
export class WorkerModule {
  static with(config: Config, databaseUrl: string): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        BaseModule.with(config),
        HttpModule,
        DatabaseModule.with(config, databaseUrl),
        ErrorsModule,
        LoggingModule,
        MetricsModule.with(config, 'worker'),
        ...WORKERS,
      ],
    };
  }
}
