import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DatabaseModule } from '../../data/database/database.module.js';
import { ErrorsModule } from '../../kernel/errors/errors.module.js';
import { HttpModule } from '../../http/core/http.module.js';
import { IdempotencyModule } from '../../writes/idempotency/idempotency.module.js';
import type { Config } from '../../kernel/config/config.js';
import { BaseModule } from './base.module.js';
import { migrationsOf } from './migrations.js';
import type { AppContext, AppModuleType, ServiceDefinition } from './service-definition.js';
import { startLogger } from './start-logger.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import { Logger } from '../../observe/logging/logger.js';
import { LoggingModule } from '../../observe/logging/logging.module.js';
import { MetricsModule } from '../../observe/metrics/metrics.module.js';
import { TracingModule } from '../../observe/tracing/tracing.module.js';

/** The application of a worker: only the features with background work, and no HTTP server. */
@Module({})
export class WorkerModule {
  static forRoot({ service, config, databaseUrl, features }: AppContext): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        BaseModule.with(config),
        HttpModule, // this and the next: Nest makes the controllers of a feature here, too
        IdempotencyModule,
        DatabaseModule.with(config, databaseUrl, migrationsOf(service)),
        ErrorsModule,
        LoggingModule,
        TracingModule,
        MetricsModule.with(config, 'worker'),
        ...features,
      ],
    };
  }
}

/** The features whose background work can run in a separate process. */
export const workersOf = ({ features }: AppModuleType) =>
  features.filter(({ hasWorker = false }) => hasWorker);

/** Creates the application of a worker, which works from now on. @throws StartupError if there is no work */
export async function createWorker(
  service: ServiceDefinition,
  config: Config,
  databaseUrl: string,
): Promise<INestApplicationContext> {
  const features = workersOf(await service.load());
  if (features.length === 0) throw new StartupError('No module has background work.');
  const options = { logger: startLogger, bufferLogs: true, abortOnError: false } as const;
  const root = WorkerModule.forRoot({ service, config, databaseUrl, features });
  const worker = await NestFactory.createApplicationContext(root, options);
  worker.useLogger(worker.get(Logger));
  return worker;
}
