import { type CheckResult, failureOf } from '../../config/check-result.js';
import type { Config } from '../../config/config.js';
import { StartupError } from '../../config/startup-error.js';
import { inspectMigrations } from '../migrations/migrate.js';
import type { Migration, MigrationState } from '../migrations/migration-state.js';
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

/** What is checked, beside the database itself. */
export interface Checked {
  readonly config: Config;
  /** The migrations of this version. */
  readonly known: readonly Migration[];
  /** Those that modules declare. */
  readonly checks: readonly DatabaseCheck[];
}

interface Findings extends MigrationState {
  readonly obstacle: string | undefined;
  readonly found: readonly CheckResult[];
}

/**
 * Runs all checks of a database, which change nothing.
 * @throws StartupError as `inspectMigrations()`: without its answer the others make no sense
 */
export function checkDatabase(url: string, { config, known, checks }: Checked): Promise<Findings> {
  return inspectMigrations(url, known, async (client, migrations) => {
    const query = async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...values])).rows;
    const found: CheckResult[] = [];
    for (const check of [...DATABASE_CHECKS, ...checks]) {
      found.push(...(await check({ query, migrations, config }).catch(failed)));
      if (found.some(({ state }) => state === 'fail')) break; // the next ones rely on what it has found
    }
    return found;
  });
}

function failed(error: unknown): readonly CheckResult[] {
  if (error instanceof StartupError) return [failureOf('database', error)];
  throw error;
}
