import type { MigrationState } from '../../database/migrations/migration-state.js';
import { type Finding, ok, warn } from './finding.js';

export function checkMigrations({ applied, pending, newer }: MigrationState, advice: string): Finding {
  if (newer.length > 0) {
    return warn(
      'migrations',
      `of a newer version: ${newer.join(', ')}`,
      'This version may not fit the tables: run the newer one.',
    );
  }
  if (pending.length > 0) {
    const known = applied.length + pending.length;
    return warn('migrations', `${pending.length} of ${known} pending: ${pending.join(', ')}`, advice);
  }
  return ok('migrations', `all ${applied.length} applied`);
}
