/**
 * The public API of the platform. A feature imports from here, and from the modules and services of other features, but from
 * nowhere else outside its folder. Exports stay stable; CHANGELOG.md lists changes to them.
 */

// Handlers
export { RequireScope } from './auth/scope.guard.js';
export type { Plan } from './auth/plans.js';
export { type ApiKeyPrincipal, CurrentPrincipal } from './auth/principal.js';
export { Deprecated } from './deprecation/deprecated.decorator.js';
export { Public } from './http/route/public.decorator.js';
export { Idempotent } from './idempotency/idempotent.decorator.js';
export { ApiErrors } from './openapi/decorators/api-errors.decorator.js';
export { Id } from './openapi/decorators/id.decorator.js';
export { IfMatch } from './openapi/decorators/if-match.decorator.js';
export { ClientMethod, HideTryIt, Stability, Tag } from './openapi/decorators/operation-marks.js';
export { Paged } from './openapi/decorators/paged.decorator.js';
export { Created, Updated } from './openapi/decorators/resource.decorators.js';
export { ExpectedVersion } from './kernel/expected-version.js';

// Bodies and queries
export { PageQuery } from './http/pagination.js';
export { AtLeastOneProperty } from './http/validation/partial-update.js';
export {
  Int64Field,
  Int64List,
  Int64Parameter,
  IntegerParameter,
  Optional,
  Text,
} from './http/validation/property.decorators.js';
export { type Int64, parseInt64 } from './kernel/json/int64.js';

// Rows and their events
export { keysetPage } from './database/pagination/keyset.js';
export { withStatementTimeout } from './database/statement-timeout.js';
export { violatedConstraint } from './database/violated-constraint.js';
export { Changes } from './events/changes.js';
export { type EventType, eventType } from './events/event-type.js';
export { EventsModule } from './events/events.module.js';
export { Page, type PageRequest } from './kernel/pagination/page.js';
export { SampleData, type Samples } from './kernel/sample-data.js';

// Errors, settings and time
export { Config } from './kernel/config/config.js';
export type { Variables } from './kernel/config/variables.js';
export { Clock } from './kernel/clock/clock.js';
export { days, hours, minutes, seconds } from './kernel/clock/duration.js';
export { PeriodicTasks } from './kernel/clock/periodic-tasks.js';
export { DomainError, type ErrorHelp } from './kernel/errors/domain-error.js';
export { ErrorMappers } from './kernel/errors/error-mappers.js';
export { HealthModule } from './observability/health/health.module.js';
export { Readiness } from './observability/health/readiness.js';
export { Metrics } from './observability/metrics/metrics.js';
