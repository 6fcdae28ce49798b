export * from '../../src/platform/program/testing/recorded-events.js';
