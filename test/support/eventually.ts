export * from '../../src/platform/program/testing/eventually.js';
