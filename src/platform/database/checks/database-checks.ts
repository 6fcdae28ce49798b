import { checkCollations } from './collations.check.js';
import { checkConnectionLimit } from './connection-limit.check.js';
import type { DatabaseCheck } from './database-check.js';
import { checkPooler } from './pooler.check.js';
import { checkStoredValues } from './stored-values.check.js';
import { checkTables } from './tables.check.js';

/** The checks of every database, in order. To add one, add it here; a module declares its own in `checks`. */
export const DATABASE_CHECKS: readonly DatabaseCheck[] = [
  checkTables,
  checkStoredValues,
  checkPooler,
  checkConnectionLimit,
  checkCollations,
];
