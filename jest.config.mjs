import { join } from 'node:path';
import { availableParallelism } from 'node:os';

// Those of the shell do not matter: a service in production logs otherwise, and programs complain about a locale that is not installed.
process.env.NODE_ENV = 'test';
delete process.env.LC_ALL;

/** @type {import('jest').Config} */
export default {
  roots: ['src', 'test', 'migrations', 'clients/typescript'].map((folder) => `<rootDir>/${folder}`),
  testRegex: '\\.(spec|e2e-spec)\\.ts$',
  testEnvironment: '<rootDir>/test/runner/environment.mjs',
  testRunner: '<rootDir>/test/runner/suite.mjs',
  testTimeout: 240_000, // ends a test that hangs: a loaded machine is not a fault of the service
  maxWorkers: availableParallelism() + 1, // suites wait some of their time; each worker loads the service once
  workerIdleMemoryLimit: '400MB', // of the heap that package.json gives it: what suites leave behind adds up
  reporters: ['default', '<rootDir>/test/support/summary.mjs'],
  setupFilesAfterEnv: ['<rootDir>/test/support/quiet.setup.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
};
