import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { MODULES } from './features.js';
import {
  AccessGuard,
  type AppContext,
  AuthModule,
  BearerGuard,
  BodyGuard,
  EventsModule,
  type Feature,
  foundation,
  IdempotencyModule,
  OwnKeyModule,
  PlanThrottlerGuard,
  RateLimitModule,
  RequestValidationPipe,
  surroundings,
  WebhooksModule,
} from './platform/program/wiring.js';

/**
 * The steps of a request under `/v1`, in order; no feature depends on them. A public route outside `/v1`
 * passes through the same steps, but needs no key and has no quota.
 */
const STEPS: Provider[] = [
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
  /** What clients are served, in the order of the document. */
  static readonly features: readonly Feature[] = [
    ...MODULES, // PetsModule, CategoriesModule, StoreModule and yours
    EventsModule, // GET /v1/events
    WebhooksModule, // /v1/webhooks, and sending
    OwnKeyModule, // GET /v1/key, /v1/rate-limit, /v1/usage
  ];

  static forRoot(context: AppContext): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ...foundation(context), // settings, time, log, traces, HTTP, errors, PostgreSQL
        AuthModule, // finds the key of a request, its plan and its scopes
        RateLimitModule, // counts each key by its plan; before any module that imports a ThrottlerModule of its own
        IdempotencyModule, // stores the first response to an Idempotency-Key
        ...context.features,
        ...surroundings(context), // health, metrics, the document and its pages, 404
      ],
      providers: STEPS,
    };
  }
}
