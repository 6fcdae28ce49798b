export * from '../../src/platform/program/testing/schema.js';
