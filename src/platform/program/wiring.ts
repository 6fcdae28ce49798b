/** What the module of an application wires: see `app.module.ts`. */
export { AccessGuard } from '../access/auth/access.guard.js';
export { AuthModule } from '../access/auth/auth.module.js';
export { BearerGuard } from '../access/auth/bearer.guard.js';
export { OwnKeyModule } from '../access/own-key/own-key.module.js';
export { PlanThrottlerGuard } from '../access/rate-limit/plan-throttler.guard.js';
export { RateLimitModule } from '../access/rate-limit/rate-limit.module.js';
export { EventsModule } from '../feed/events/events.module.js';
export { WebhooksModule } from '../feed/webhooks/webhooks.module.js';
export { BodyGuard } from '../http/core/body/body.guard.js';
export { RequestValidationPipe } from '../http/validation/validation.pipe.js';
export { IdempotencyModule } from '../writes/idempotency/idempotency.module.js';
export type { Feature } from './bootstrap/feature.js';
export { foundation, surroundings } from './bootstrap/foundation.js';
export type { AppContext } from './bootstrap/service-definition.js';
