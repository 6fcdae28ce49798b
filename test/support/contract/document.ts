export * from '../../../src/platform/program/testing/document.js';
