import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { ERROR_CATALOG } from './app.errors.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { ScopeGuard } from './auth/scope.guard.js';
import { CategoriesModule } from './categories/categories.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EventsModule } from './events/events.module.js';
import { ErrorsModule } from './http/errors/errors.module.js';
import { AcceptGuard } from './http/guards/accept.guard.js';
import { BodyGuard } from './http/guards/body.guard.js';
import { HostGuard } from './http/guards/host.guard.js';
import { UnknownQueryGuard } from './http/guards/unknown-query.guard.js';
import { HttpModule } from './http/http.module.js';
import { NotFoundModule } from './http/not-found/not-found.module.js';
import { RequestValidationPipe } from './http/validation/validation.pipe.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import type { Config } from './kernel/config/config.js';
import { KernelModule } from './kernel/kernel.module.js';
import { KeyModule } from './key/key.module.js';
import { HealthModule } from './observability/health/health.module.js';
import { LoggingModule } from './observability/logging/logging.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';
import { TracingModule } from './observability/tracing/tracing.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { PetsModule } from './pets/pets.module.js';
import { BearerGuard } from './rate-limit/bearer.guard.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { RateLimitModule, RateLimitStatusModule } from './rate-limit/rate-limit.module.js';
import { StoreModule } from './store/store.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The features of the service. To add one, add a line here. */
export const FEATURES: Type[] = [
  PetsModule,
  CategoriesModule,
  StoreModule,
  EventsModule,
  WebhooksModule,
  KeyModule,
];

/**
 * The steps of a request under `/v1`, in order; no feature depends on them. A public route outside `/v1` passes through the
 * same steps, but needs no key and has no quota.
 */
const PIPELINE: Provider[] = [
  { provide: APP_GUARD, useClass: BearerGuard }, // 1. identify the client by its API key; without one it is anonymous
  { provide: APP_GUARD, useClass: PlanThrottlerGuard }, // 2. count the request against the client's plan: 429
  { provide: APP_GUARD, useClass: HostGuard }, // 3. require a valid Host header: 400
  { provide: APP_GUARD, useClass: ApiKeyGuard }, // 4. require a valid key, unless the route is @Public(): 401
  { provide: APP_GUARD, useClass: ScopeGuard }, // 5. require the scopes of the route: 403
  { provide: APP_GUARD, useClass: AcceptGuard }, // 6. require a media type that the route can produce: 406
  { provide: APP_GUARD, useClass: UnknownQueryGuard }, // 7. reject unknown query parameters: 400
  { provide: APP_GUARD, useClass: BodyGuard }, // 8. read the body, now that the request is authorized: 400, 413, 415
  // 9. Run the guards and interceptors of the route. @Deprecated() announces the removal of an operation, and responds
  //    with 410 after it. @Idempotent() responds to a repeat with the stored response.
  { provide: APP_PIPE, useClass: RequestValidationPipe }, // 10. validate body and query against their DTOs: 400
  // 11. Run the handler. JsonAdapter writes what it returns; ErrorsModule writes what any step throws.
];

@Module({})
export class AppModule {
  /** @param more additional features, for example in a test */
  static with(config: Config, databaseUrl: string, more: readonly Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KernelModule.with(config),
        DiscoveryModule,
        LoggingModule,
        TracingModule,
        HttpModule,
        ErrorsModule,
        DatabaseModule.with(config, databaseUrl),
        AuthModule,
        RateLimitModule, // before any feature that imports a ThrottlerModule of its own
        IdempotencyModule,
        ...FEATURES, // before the routes of the platform: the API document lists them first
        ...more,
        RateLimitStatusModule,
        HealthModule,
        MetricsModule.with(config),
        OpenApiModule.with(ERROR_CATALOG),
        NotFoundModule, // last, because it has the catch-all route
      ],
      providers: PIPELINE,
    };
  }
}
