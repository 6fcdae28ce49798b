import { migrationsOf } from '../../src/platform/program/bootstrap/migrations.js';
import { SERVICE } from '../../src/service.js';

/** All migrations of this service, in the order in which they run. */
export const MIGRATIONS = migrationsOf(SERVICE);
