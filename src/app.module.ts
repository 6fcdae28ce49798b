import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { MIGRATIONS } from './app.migrations.js';
import { MODULES } from './features.js';
import { RELEASED_PARAMETERS } from './app.released-parameters.js';
import { AccessGuard } from './platform/access/auth/access.guard.js';
import { AuthModule } from './platform/access/auth/auth.module.js';
import { BearerGuard } from './platform/access/auth/bearer.guard.js';
import { OwnKeyModule } from './platform/access/own-key/own-key.module.js';
import { declareFeatures, documentAdditionsOf, type Feature } from './platform/program/bootstrap/feature.js';
import { DatabaseModule } from './platform/data/database/database.module.js';
import { EventsModule } from './platform/feed/events/events.module.js';
import { ErrorsModule } from './platform/kernel/errors/errors.module.js';
import { BodyGuard } from './platform/http/core/body/body.guard.js';
import { HttpModule } from './platform/http/core/http.module.js';
import { NotFoundModule } from './platform/http/core/not-found/not-found.module.js';
import { PatchBodies } from './platform/http/validation/patch-bodies.js';
import { RequestValidationPipe } from './platform/http/validation/validation.pipe.js';
import { IdempotencyModule } from './platform/writes/idempotency/idempotency.module.js';
import type { Config } from './platform/kernel/config/config.js';
import { BaseModule } from './platform/program/bootstrap/base.module.js';
import { HealthModule } from './platform/observe/health/health.module.js';
import { LoggingModule } from './platform/observe/logging/logging.module.js';
import { MetricsModule } from './platform/observe/metrics/metrics.module.js';
import { TracingModule } from './platform/observe/tracing/tracing.module.js';
import { OpenApiModule } from './platform/program/openapi/openapi.module.js';
import { PlanThrottlerGuard } from './platform/access/rate-limit/plan-throttler.guard.js';
import { RateLimitModule } from './platform/access/rate-limit/rate-limit.module.js';
import { WebhooksModule } from './platform/feed/webhooks/webhooks.module.js';

/** What the platform serves to every client. */
export const PLATFORM_FEATURES: readonly Feature[] = [EventsModule, WebhooksModule, OwnKeyModule];

/** The features of the service. To add one, add a line to `features.ts`. */
export const FEATURES: readonly Feature[] = [...MODULES, ...PLATFORM_FEATURES];

/**
 * The steps of a request under `/v1`, in order; no feature depends on them. A public route outside `/v1`
 * passes through the same steps, but needs no key and has no quota.
 */
const PIPELINE: Provider[] = [
  // 1. Resolve the API key and its plan; without one the client is anonymous.
  { provide: APP_GUARD, useExisting: BearerGuard },
  // 2. Count the request against the client's plan: 429
  { provide: APP_GUARD, useExisting: PlanThrottlerGuard },
  // 3. Require a valid Host, a key and the scopes of the route: 400, 401, 403
  { provide: APP_GUARD, useExisting: AccessGuard },
  // 4. Read the body, now that the request is authorized, and take a slot of the client: 400, 413, 415, 503
  { provide: APP_GUARD, useClass: BodyGuard },
  // 5. Run the guards of the route. That of @Idempotent() sends the stored response to a repeat: 409, 422
  // 6. Run the interceptors of the route. @Deprecated() announces when an operation will be removed, then: 410
  // 7. Validate body and query against their DTOs, and ids in the path: 400, 404
  { provide: APP_PIPE, useClass: RequestValidationPipe },
  // 8. Run the handler. JsonAdapter writes what it returns; ErrorsModule writes what any step throws.
];

/** All modules of the service, and the steps of a request. */
@Module({})
export class AppModule {
  /** @param more additional features, for example in a test */
  static with(config: Config, databaseUrl: string, more: readonly Feature[] = []): DynamicModule {
    declareFeatures([...FEATURES, ...more]);
    return {
      module: AppModule,
      imports: [
        BaseModule.with(config),
        DiscoveryModule,
        LoggingModule,
        TracingModule,
        HttpModule,
        ErrorsModule,
        DatabaseModule.with(config, databaseUrl, MIGRATIONS),
        AuthModule,
        RateLimitModule, // before any feature that imports a ThrottlerModule of its own
        IdempotencyModule,
        ...FEATURES, // before health, metrics and documents: the API document lists them first
        ...more,
        HealthModule,
        MetricsModule.with(config),
        OpenApiModule.with(RELEASED_PARAMETERS, documentAdditionsOf([...FEATURES, ...more])),
        NotFoundModule, // last, because it has the catch-all route
      ],
      providers: [...PIPELINE, PatchBodies], // PatchBodies is a check of the start
    };
  }
}
