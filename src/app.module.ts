import { CategoriesModule } from './categories/categories.module.js';
import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { ERROR_CATALOG } from './app.errors.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { ScopeGuard } from './auth/scope.guard.js';
import { BodyGuard } from './http/guards/body.guard.js';
import { Config } from './kernel/config/config.js';
import { KernelModule } from './kernel/kernel.module.js';
import { DatabaseModule } from './database/database.module.js';
import { ErrorsModule } from './http/errors/errors.module.js';
import { EventsModule } from './events/events.module.js';
import { HealthModule } from './observability/health/health.module.js';
import { AcceptGuard } from './http/guards/accept.guard.js';
import { HostGuard } from './http/guards/host.guard.js';
import { HttpModule } from './http/http.module.js';
import { NotFoundModule } from './http/not-found/not-found.module.js';
import { UnknownQueryGuard } from './http/guards/unknown-query.guard.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { KeyModule } from './key/key.module.js';
import { LoggingModule } from './observability/logging/logging.module.js';
import { MetricsModule } from './observability/metrics/metrics.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { PetsModule } from './pets/pets.module.js';
import { BearerGuard } from './rate-limit/bearer.guard.js';
import { PlanThrottlerGuard } from './rate-limit/plan-throttler.guard.js';
import { RateLimitModule, RateLimitStatusModule } from './rate-limit/rate-limit.module.js';
import { StoreModule } from './store/store.module.js';
import { TracingModule } from './observability/tracing/tracing.module.js';
import { RequestValidationPipe } from './http/validation/validation.pipe.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The features of the service. A new module is one more line here. */
export const FEATURES: Type[] = [
  PetsModule,
  CategoriesModule,
  StoreModule,
  EventsModule,
  WebhooksModule,
  KeyModule,
];

/**
 * The way of every request under `/v1`, from top to bottom. Features know nothing of it. Public routes outside of `/v1`
 * take it too, but no key is looked for there and nothing counted.
 */
const PIPELINE: Provider[] = [
  { provide: APP_GUARD, useClass: BearerGuard }, // 1. the client: the holder of a key, or anonymous
  { provide: APP_GUARD, useClass: PlanThrottlerGuard }, // 2. count it: 429 beyond the limit
  { provide: APP_GUARD, useClass: HostGuard }, // 3. HTTP/1.1 without a valid Host: 400
  { provide: APP_GUARD, useClass: ApiKeyGuard }, // 4. no valid key: 401, unless the route is @Public()
  { provide: APP_GUARD, useClass: ScopeGuard }, // 5. the key lacks the scope of the route: 403
  { provide: APP_GUARD, useClass: AcceptGuard }, // 6. does not take JSON: 406
  { provide: APP_GUARD, useClass: UnknownQueryGuard }, // 7. parameters where there are none: 400
  { provide: APP_GUARD, useClass: BodyGuard }, // 8. only now the body is read: 400, 413, 415
  // 9. the guards and interceptors of the route: @Deprecated() announces its end, or 410; to a repeat @Idempotent() sends
  //    the first response
  { provide: APP_PIPE, useClass: RequestValidationPipe }, // 10. body and query against their DTOs: 400
  // 11. the handler; JsonAdapter writes what it returns, ErrorsModule what was thrown on the way
];

@Module({})
export class AppModule {
  /** @param more further features, such as those of a test */
  static with(config: Config, databaseUrl: string, more: readonly Type[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KernelModule.with(config),
        DiscoveryModule,
        HttpModule,
        DatabaseModule.with(config, databaseUrl),
        ErrorsModule,
        LoggingModule,
        TracingModule,
        AuthModule,
        RateLimitModule, // before the throttlers of other modules
        ...FEATURES, // before our own routes, so that the document begins with them
        ...more,
        RateLimitStatusModule,
        IdempotencyModule,
        HealthModule,
        MetricsModule.with(config),
        OpenApiModule.with(ERROR_CATALOG),
        NotFoundModule, // last: the catch-all under /v1
      ],
      providers: PIPELINE,
    };
  }
}
