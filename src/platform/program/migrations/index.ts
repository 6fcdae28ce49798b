// migrations/ makes the tables of the platform, and changes them. Those of a service are its own.

import type { Migration } from '../../data/database/migrations/migration-state.js';
import * as listed from './list.js';

/** The migrations of the platform. Their names are recorded in databases, so none is renamed or removed. */
export const PLATFORM_MIGRATIONS: readonly Migration[] = Object.values<Migration>(listed);
