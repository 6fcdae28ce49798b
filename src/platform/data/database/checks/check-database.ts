import { DatabaseError } from 'pg';
import { type CheckResult, failureOf } from '../../../kernel/config/check-result.js';
import type { Config } from '../../../kernel/config/config.js';
import { StartupError } from '../../../kernel/config/startup-error.js';
import { withConnection } from '../connect-once.js';
import { type Inspected, inspectMigrations } from '../migrations/migrate.js';
import type { Migration } from '../migrations/migration-state.js';
import { requireSameDatabase } from '../same-database.js';
import { checkClock } from './clock.check.js';
import { checkCollations } from './collations.check.js';
import { checkConnectionLimit } from './connection-limit.check.js';
import type { DatabaseCheck } from './database-check.js';
import { checkMigrations } from './migrations.check.js';
import { checkPooler } from './pooler.check.js';
import { checkServerSettings } from './settings.check.js';
import { checkStoredValues } from './stored-values.check.js';
import { checkTables } from './tables.check.js';
import { checkTimes } from './times.check.js';
import { checkTimeLimits } from './time-limits.check.js';
import { checkWritable } from './writable.check.js';

/** The checks of every database, in order. To add one, add it here; a module declares its own in `checks`. */
export const DATABASE_CHECKS: readonly DatabaseCheck[] = [
  checkWritable,
  checkTables,
  checkServerSettings,
  checkStoredValues,
  checkTimes,
  checkPooler,
  checkMigrations,
  checkTimeLimits,
  checkConnectionLimit,
  checkClock,
  checkCollations,
];

/** What is checked, beside the database itself. */
export interface Checked {
  readonly config: Config;
  /** The migrations of this version. */
  readonly known: readonly Migration[];
  /** Those that modules declare. */
  readonly checks: readonly DatabaseCheck[];
}

interface Findings {
  readonly migrations: Inspected;
  readonly found: readonly CheckResult[];
}

/**
 * Runs all checks of a database, which change nothing.
 * @param directUrl of the session that would run migrations
 * @throws StartupError as `requireSameDatabase()` and `inspectMigrations()`: without their answers the others
 *   make no sense
 */
export async function checkDatabase(
  url: string,
  directUrl: string,
  { config, known, checks }: Checked,
): Promise<Findings> {
  await requireSameDatabase(url, directUrl);
  const migrations = await inspectMigrations(directUrl, known);
  const found = await withConnection(url, async (client) => {
    const query = async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...values])).rows;
    const results: CheckResult[] = [];
    for (const check of [...DATABASE_CHECKS, ...checks]) {
      results.push(...(await check({ query, migrations, config }).catch(failedBefore(migrations))));
      if (results.some(({ state }) => state === 'fail')) break; // the next ones rely on what it has found
    }
    return results;
  });
  return { migrations, found };
}

/** Undefined table, undefined column. */
const MISSING: readonly unknown[] = ['42P01', '42703'];

/** Of what a pending migration has yet to create, a check has nothing to say. */
const failedBefore =
  ({ pending }: Inspected) =>
  (error: unknown): readonly CheckResult[] => {
    if (error instanceof StartupError) return [failureOf('database', error)];
    if (pending.length > 0 && error instanceof DatabaseError && MISSING.includes(error.code)) return [];
    throw error;
  };
