import { StartupError } from '../../../kernel/config/startup-error.js';
import { DatabaseConfig } from '../database.config.js';
import { requireMigrations } from '../migrations/migration-state.js';
import type { DatabaseCheck } from './database-check.js';

/** Whether a start may run what is pending. */
// eslint-disable-next-line @typescript-eslint/require-await -- what it throws is its result
export const checkMigrations: DatabaseCheck = async ({ migrations, config }) => {
  const { databaseUrl, migrateAtStart } = config.inspect(DatabaseConfig);
  if (databaseUrl !== undefined && !migrateAtStart) requireMigrations(migrations);
  if (migrations.obstacle !== undefined) throw new StartupError(migrations.obstacle);
  return [];
};
