import type { DynamicModule, Type } from '@nestjs/common';
import { DatabaseModule } from '../../data/database/database.module.js';
import { ErrorsModule } from '../../kernel/errors/errors.module.js';
import { HttpModule } from '../../http/core/http.module.js';
import { HealthModule } from '../../observe/health/health.module.js';
import { LoggingModule } from '../../observe/logging/logging.module.js';
import { MetricsModule } from '../../observe/metrics/metrics.module.js';
import { TracingModule } from '../../observe/tracing/tracing.module.js';
import { ValidationModule } from '../../http/validation/validation.module.js';
import { OpenApiModule } from '../openapi/openapi.module.js';
import { NotFoundModule } from '../../http/core/not-found/not-found.module.js';
import { BaseModule } from './base.module.js';
import { declareFeatures, documentAdditionsOf } from './feature.js';
import { migrationsOf } from './migrations.js';
import { patchLibraries } from './patches.js';
import type { AppContext } from './service-definition.js';

type Modules = readonly (Type | DynamicModule)[];

/** What every module needs: settings and time, log, traces, HTTP, errors, PostgreSQL. */
export function foundation({ service, config, databaseUrl, features }: AppContext): Modules {
  patchLibraries();
  declareFeatures(features);
  return [
    BaseModule.with(config),
    LoggingModule,
    TracingModule,
    HttpModule,
    ErrorsModule,
    DatabaseModule.with(config, databaseUrl, migrationsOf(service)),
  ];
}

/**
 * What surrounds every service: health, metrics, the document and its pages, and 404. They come last, so that
 * the document lists the modules of the service first, and because of the catch-all route.
 */
export const surroundings = ({ service, config, features }: AppContext): Modules => [
  HealthModule,
  MetricsModule.with(config),
  ValidationModule,
  OpenApiModule.with(service.releasedParameters ?? {}, documentAdditionsOf(features)),
  NotFoundModule,
];
