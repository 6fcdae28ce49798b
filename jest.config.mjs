import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/migrations', '<rootDir>/clients/typescript'],
  testRegex: '\\.(spec|e2e-spec)\\.ts$',
  testEnvironment: '<rootDir>/test/runner/environment.mjs',
  testRunner: '<rootDir>/test/runner/suite.mjs',
  testTimeout: 240_000, // ends a test that hangs: a loaded machine is not a fault of the service
  maxWorkers: availableParallelism() + 2, // suites wait half of their time
  workerIdleMemoryLimit: '220MB', // of the heap that package.json gives it: what suites leave behind adds up
  setupFilesAfterEnv: ['<rootDir>/test/support/quiet.setup.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
};
