import { StartupError } from '../../../kernel/config/startup-error.js';
import { IS_READ_ONLY } from '../writable.js';
import type { DatabaseCheck } from './database-check.js';

/** On a standby, or with `default_transaction_read_only`, every write of the service would be 503. */
export const checkWritable: DatabaseCheck = async ({ query }) => {
  const [found] = await query<{ isReadOnly: boolean }>(IS_READ_ONLY);
  if (found?.isReadOnly !== true) return [];
  throw new StartupError(
    'DATABASE_URL: PostgreSQL is read-only. Name the primary, and set default_transaction_read_only to off for the role and the database.',
  );
};
