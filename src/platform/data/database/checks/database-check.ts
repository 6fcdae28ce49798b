import type { CheckResult } from '../../../kernel/config/check-result.js';
import type { Config } from '../../../kernel/config/config.js';
import type { Inspected } from '../migrations/migrate.js';

/** The database that is checked, before the service changes it. */
export interface CheckedDatabase {
  /** Asks by a connection of `DATABASE_URL`, as requests do. */
  readonly query: <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Which of its migrations have run, by the connection that would run them. */
  readonly migrations: Inspected;
  /** The settings, all of which are known. Those of invalid variables have their defaults. */
  readonly config: Config;
}

/**
 * A check that doctor, the start of the service and that of a worker run. It changes nothing. The start
 * refuses what fails, and logs warnings. One that asks for a table or column which does not exist finds nothing
 * while migrations are pending.
 * @throws StartupError instead of a result that fails: its first sentence is the finding, the rest is advice
 */
export type DatabaseCheck = (database: CheckedDatabase) => Promise<readonly CheckResult[]>;
