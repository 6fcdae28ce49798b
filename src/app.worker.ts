import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MIGRATIONS } from './app.migrations.js';
import { FEATURES } from './app.module.js';
import { DatabaseModule } from './platform/data/database/database.module.js';
import { ErrorsModule } from './platform/kernel/errors/errors.module.js';
import { HttpModule } from './platform/http/core/http.module.js';
import { IdempotencyModule } from './platform/writes/idempotency/idempotency.module.js';
import type { Config } from './platform/kernel/config/config.js';
import { BaseModule } from './platform/program/bootstrap/base.module.js';
import { startLogger } from './platform/program/bootstrap/start-logger.js';
import { StartupError } from './platform/kernel/config/startup-error.js';
import { Logger } from './platform/observe/logging/logger.js';
import { LoggingModule } from './platform/observe/logging/logging.module.js';
import { MetricsModule } from './platform/observe/metrics/metrics.module.js';

/** The features whose background work can run in a separate process. */
const WORKERS = FEATURES.filter(({ hasWorker = false }) => hasWorker);

/** The application of `petstore worker`: only the features with background work, and no HTTP server. */
@Module({})
export class WorkerModule {
  static with(config: Config, databaseUrl: string): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        BaseModule.with(config),
        HttpModule, // this and the next: Nest makes the controllers of a feature here, too
        IdempotencyModule,
        DatabaseModule.with(config, databaseUrl, MIGRATIONS),
        ErrorsModule,
        LoggingModule,
        MetricsModule.with(config, 'worker'),
        ...WORKERS,
      ],
    };
  }
}

/** Creates the application of `petstore worker`, which works from now on. */
export async function createWorker(config: Config, databaseUrl: string): Promise<INestApplicationContext> {
  if (WORKERS.length === 0) throw new StartupError('No module has background work.');
  const options = { logger: startLogger, bufferLogs: true, abortOnError: false } as const;
  const worker = await NestFactory.createApplicationContext(WorkerModule.with(config, databaseUrl), options);
  worker.useLogger(worker.get(Logger));
  return worker;
}
