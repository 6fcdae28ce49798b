import { warn } from '../../../kernel/config/check-result.js';
import { DatabaseConfig } from '../database.config.js';
import { changesSessions, NAME_DIRECTLY, needsSession, tryPreparedStatements } from '../sessions.js';
import type { DatabaseCheck } from './database-check.js';

/**
 * A pooler that gives a transaction any session of PostgreSQL: prepared statements, notifications and the
 * lock of migrations need one.
 */
export const checkPooler: DatabaseCheck = async ({ config, migrations }) => {
  const { databaseUrl, directDatabaseUrl, preparedStatements, migrateAtStart } =
    config.inspect(DatabaseConfig);
  if (databaseUrl === undefined) return [];
  if (preparedStatements) await tryPreparedStatements(databaseUrl);
  if (directDatabaseUrl !== undefined || !(await changesSessions(databaseUrl))) return [];
  if (migrateAtStart && migrations.pending.length > 0) throw needsSession();
  const finding = 'a pooler in front of PostgreSQL gives each transaction another session';
  return [warn('database', finding, `${NAME_DIRECTLY}: migrations and changes of keys need a session.`)];
};
