/** What the tests of a feature import, besides the feature itself. */
export { eventually } from './support/eventually.js';
export { Petstore, Petstore as TestService } from './support/petstore.js';
export { recordedEvents } from './support/recorded-events.js';
export { rememberKey } from './support/run-log.js';
export { TestClock } from './support/test-clock.js';
export { mockRepository, UnitTestModule } from './support/unit-test.js';
