export * from '../../src/platform/program/testing/test-clock.js';
