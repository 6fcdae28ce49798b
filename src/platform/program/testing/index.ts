import type { ServiceDefinition } from '../bootstrap/service-definition.js';
import { testRun } from './test-run.config.js';
import { TestServer } from './test-server.js';
import { type TestOptions, TestService as AnyService } from './test-service.js';

export type { TestOptions } from './test-service.js';
export { becomes, eventually } from './eventually.js';
export { recordedEvents } from './recorded-events.js';
export { describeService } from './every-service.js';
export { TestClock } from './test-clock.js';

/** A service in a run of `npm test`, with a database that has all its tables. */
export class TestService extends AnyService {
  /** Starts it. */
  static startService(service: ServiceDefinition, options?: TestOptions): Promise<TestService> {
    const database = () => new TestServer(testRun.server).create(service.prefix);
    return this.open(service, { database }, options);
  }
}
