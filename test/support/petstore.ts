import { type TestOptions, TestService } from '../../src/platform/program/testing/test-service.js';
import { SERVICE } from '../../src/service.js';
import { keepLog, rememberKey } from './run-log.js';
import { createTestDatabase } from './test-database.js';

const RUN = { database: () => createTestDatabase(), keepLog, keepKey: rememberKey };

/** This service as in production, on a real port and a real database. Only time is simulated. */
export class Petstore extends TestService {
  static start(options?: TestOptions): Promise<Petstore> {
    return this.open(SERVICE, RUN, options);
  }
}
