/**
 * The public API of the platform. A feature imports from here, and from the modules and services of other
 * features, but from nowhere else outside its folder. Exports stay stable; CHANGELOG.md lists changes to
 * them.
 */

// Handlers
export { AnyKey, RequireScope } from './access/auth/require-scope.decorator.js';
export type { Plan } from './access/plans/plans.js';
export { type ApiKeyPrincipal, CurrentPrincipal, OfPlan, planOf } from './access/auth/principal.js';
export { Deprecated } from './http/deprecation/deprecated.decorator.js';
export { Public } from './http/core/public.decorator.js';
export { SkipConcurrencyLimit } from './access/rate-limit/client-slots.js';
export { Idempotent } from './writes/idempotency/idempotent.decorator.js';
export { ApiErrors } from './kernel/errors/api-errors.decorator.js';
export { Id } from './http/validation/id.decorator.js';
export { HideTryIt, Stability, Tag } from './http/core/operation-marks.js';
export { Paged } from './http/pagination/paged.decorator.js';
export { Changed, Created, Updated } from './http/conditional/resource.decorators.js';
export { IfMatch, IfMatchCondition } from './http/conditional/if-match.js';

// Bodies and queries
export { PageQuery, SortedPageQuery, SortParameter } from './http/pagination/page.query.js';
export { AtLeastOneProperty } from './http/validation/body-rules.js';
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
} from './http/validation/property.decorators.js';
export { PatchType } from './http/validation/patch-type.js';
export { type Int64, parseInt64 } from './kernel/json/int64.js';
export {
  DecimalProperty,
  Int64Property,
  OptionalTimeProperty,
  TimeProperty,
} from './kernel/json/property-types.js';

// Rows and their events
export { type Keyed, keysetPage, pageByKey } from './http/pagination/keyset.js';
export { findBySql } from './data/statements/find-by-key.js';
export { queryPrepared } from './data/statements/run-named.js';
export { withStatementTimeout } from './data/database/statement-timeout.js';
export { violatedConstraint } from './data/database/violated-constraint.js';
export { findById } from './data/statements/find.js';
export { Changes } from './writes/unit-of-work/changes.js';
export { UnitOfWork } from './writes/unit-of-work/unit-of-work.decorator.js';
export { type EventType, eventType } from './writes/unit-of-work/event-type.js';
export { pick } from './writes/unit-of-work/pick.js';
export { EventsModule } from './feed/events/events.module.js';
export { Page, type PageRequest, type Position } from './http/pagination/page.js';
export { SampleData, type Samples } from './data/database/sample-data.js';

// Settings, and what the start and doctor check
export { type Settings, settingsProvider } from './kernel/config/config.js';
export { type CheckResult, fail, ok, warn } from './kernel/config/check-result.js';
export type { CheckedDatabase, DatabaseCheck } from './data/database/checks/database-check.js';
export { checkIcu } from './data/database/checks/icu.check.js';
export type { AddCommands, Feature } from './program/bootstrap/feature.js';

// Errors, settings and time
export { Config } from './kernel/config/config.js';
export type { Variables } from './kernel/config/variables.js';
export { Clock } from './kernel/clock/clock.js';
export { days, hours, minutes, seconds } from './kernel/clock/duration.js';
export { PeriodicTasks } from './kernel/clock/periodic-tasks.js';
export { DomainError, type ErrorHelp } from './kernel/errors/domain-error.js';
export { ErrorFilter } from './kernel/errors/error.filter.js';
export { ErrorMappers } from './kernel/errors/error-mappers.js';
export { HealthModule } from './observe/health/health.module.js';
export { Readiness } from './observe/health/readiness.js';
export { Metrics } from './observe/metrics/metrics.js';
