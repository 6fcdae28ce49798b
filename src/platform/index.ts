/**
 * The public API of the platform. A feature imports from here, and from the modules and services of other
 * features, but from nowhere else outside its folder. Exports stay stable; CHANGELOG.md lists changes to
 * them.
 */

// Handlers
export { AnyKey, RequireScope } from './auth/require-scope.decorator.js';
export type { Plan } from './plans/plans.js';
export { type ApiKeyPrincipal, CurrentPrincipal, OfPlan } from './auth/principal.js';
export { Deprecated } from './deprecation/deprecated.decorator.js';
export { Public } from './http/public.decorator.js';
export { SkipConcurrencyLimit } from './rate-limit/client-slots.js';
export { Idempotent } from './idempotency/idempotent.decorator.js';
export { ApiErrors } from './errors/api-errors.decorator.js';
export { Id } from './validation/id.decorator.js';
export { HideTryIt, Stability, Tag } from './http/operation-marks.js';
export { Paged } from './pagination/paged.decorator.js';
export { Changed, Created, Updated } from './conditional/resource.decorators.js';
export { IfMatch, IfMatchCondition } from './conditional/if-match.js';

// Bodies and queries
export { PageQuery, SortedPageQuery, SortParameter } from './pagination/page.query.js';
export { AtLeastOneProperty } from './validation/body-rules.js';
export {
  DateField,
  DecimalField,
  EnumField,
  Int64Field,
  Int64List,
  Int64Parameter,
  IntegerParameter,
  NotWith,
  ObjectList,
  OptionalNotNull,
  Text,
  TimeField,
} from './validation/property.decorators.js';
export { PatchType } from './validation/patch-type.js';
export { type Int64, parseInt64 } from './json/int64.js';
export { DecimalProperty, Int64Property, OptionalTimeProperty, TimeProperty } from './json/property-types.js';

// Rows and their events
export { type Keyed, keysetPage, pageByKey } from './pagination/keyset.js';
export { findBySql } from './statements/find-by-key.js';
export { queryPrepared } from './statements/run-named.js';
export { withStatementTimeout } from './database/statement-timeout.js';
export { violatedConstraint } from './database/violated-constraint.js';
export { findById } from './statements/find.js';
export { Changes } from './unit-of-work/changes.js';
export { UnitOfWork } from './unit-of-work/unit-of-work.decorator.js';
export { type EventType, eventType } from './unit-of-work/event-type.js';
export { pick } from './unit-of-work/pick.js';
export { EventsModule } from './events/events.module.js';
export { Page, type PageRequest, type Position } from './pagination/page.js';
export { SampleData, type Samples } from './database/sample-data.js';

// Settings, and what the start and doctor check
export { type Settings, settingsProvider } from './config/config.js';
export { type CheckResult, ok, warn } from './config/check-result.js';
export type { CheckedDatabase, DatabaseCheck } from './database/checks/database-check.js';
export { checkIcu } from './database/checks/icu.check.js';
export type { Feature } from './bootstrap/feature.js';

// Errors, settings and time
export { Config } from './config/config.js';
export type { Variables } from './config/variables.js';
export { Clock } from './clock/clock.js';
export { days, hours, minutes, seconds } from './clock/duration.js';
export { PeriodicTasks } from './clock/periodic-tasks.js';
export { DomainError, type ErrorHelp } from './errors/domain-error.js';
export { ErrorFilter } from './errors/error.filter.js';
export { ErrorMappers } from './errors/error-mappers.js';
export { HealthModule } from './health/health.module.js';
export { Readiness } from './health/readiness.js';
export { Metrics } from './metrics/metrics.js';
