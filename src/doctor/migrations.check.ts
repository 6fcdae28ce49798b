import { loadMigrations } from '../database/migrations.js';
import { type Finding, ok, warn } from './finding.js';

/** Holds the migrations that have run against those of this version. */
export async function checkMigrations(applied: readonly string[]): Promise<Finding> {
  const known = (await loadMigrations()).map((Migration) => new Migration().name ?? Migration.name);
  const pending = known.filter((name) => !applied.includes(name));
  const newer = applied.filter((name) => !known.includes(name));
  if (newer.length > 0) {
    return warn(
      'migrations',
      `of a newer version: ${newer.join(', ')}`,
      'This version may not fit the tables: run the newer one.',
    );
  }
  if (pending.length > 0) {
    return warn(
      'migrations',
      `${pending.length} of ${known.length} pending: ${pending.join(', ')}`,
      'The next start of the service applies them.',
    );
  }
  return ok('migrations', `all ${known.length} applied`);
}
