export * from '../../../src/platform/program/testing/response-validator.js';
