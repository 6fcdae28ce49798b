import { StartupError } from '../../../kernel/config/startup-error.js';
import type { DatabaseCheck } from './database-check.js';

/** For a module whose migrations use a collation of ICU, such as `und-x-icu`. */
export const checkIcu: DatabaseCheck = async ({ query, migrations }) => {
  if (migrations.pending.length === 0) return [];
  const found = await query(`SELECT FROM pg_collation WHERE collprovider = 'i' LIMIT 1`);
  if (found.length > 0) return [];
  throw new StartupError(
    'DATABASE_URL: PostgreSQL lacks what a migration needs: collations of ICU. The packages and images of PostgreSQL are built with ICU.',
  );
};
