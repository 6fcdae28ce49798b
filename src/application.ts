import { MIGRATIONS } from './app.migrations.js';
import type { Application } from './platform/program/bootstrap/application.js';
import { SETTINGS } from './settings.js';

/** This service, as the programs start it. */
export const APPLICATION: Application = {
  settings: SETTINGS,
  migrations: MIGRATIONS,
  loadFeatures: async () => (await import('./app.module.js')).FEATURES,
  createApp: async (...args) => (await import('./app.setup.js')).createApp(...args),
  createWorker: async (...args) => (await import('./app.worker.js')).createWorker(...args),
};
