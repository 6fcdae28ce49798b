import { MIGRATIONS } from './app.migrations.js';
import type { Application } from './platform/bootstrap/application.js';
import { inspectConfig } from './settings.js';

/** This service, as the programs start it. */
export const APPLICATION: Application = {
  inspectConfig,
  migrations: MIGRATIONS,
  loadApp: () => import('./app.setup.js'),
  loadWorker: () => import('./app.worker.js'),
};
