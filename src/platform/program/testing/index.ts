import type { ServiceDefinition } from '../bootstrap/service-definition.js';
import type { Document } from './document.js';
import { SeenResponses } from './seen-responses.js';
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
  private readonly responses = new SeenResponses();

  /** Starts it. */
  static startService(service: ServiceDefinition, options?: TestOptions): Promise<TestService> {
    const database = () => new TestServer(testRun.server).create(service.prefix);
    return this.open(service, { database }, options);
  }

  override client(key?: string) {
    return this.responses.watch(super.client(key));
  }

  /** @throws Error that names the responses to its clients which were not as the document describes them */
  override async stop(): Promise<void> {
    const document = (await super.client().get('/openapi.json')).body as Document;
    await super.stop();
    const faults = await this.responses.faults(document);
    if (faults.length > 0)
      throw new Error(`Responses are not as the document describes them:\n  ${faults.join('\n  ')}`);
  }
}
