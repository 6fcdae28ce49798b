import { type TestDatabase, TestServer } from '../../src/platform/program/testing/test-server.js';

export { type TestDatabase, withClient } from '../../src/platform/program/testing/test-server.js';

const server = new TestServer(process.env.PETSTORE_TEST_SERVER ?? '');

/**
 * Creates a database for one suite, on the server that the run has started.
 * @param template has all tables by default, while `template1` has none
 */
export const createTestDatabase = (template = 'petstore'): Promise<TestDatabase> => server.create(template);
