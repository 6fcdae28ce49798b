import type { GLOBALS } from '../../dist/src/platform/program/testing/globals.js';

declare global {
  const describe: typeof GLOBALS.describe;
  const it: typeof GLOBALS.it;
  const expect: typeof GLOBALS.expect;
  const beforeAll: typeof GLOBALS.beforeAll;
  const beforeEach: typeof GLOBALS.beforeEach;
  const afterAll: typeof GLOBALS.afterAll;
  const afterEach: typeof GLOBALS.afterEach;
}
