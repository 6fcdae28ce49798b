import { fail, type Finding, ok, reasonOf, whereTo } from './finding.js';
import { checkMigrations } from './migrations.check.js';
import { askPostgres } from './postgres.js';

/** The database that `DATABASE_URL` names. */
export async function checkDatabase(url: string): Promise<Finding[]> {
  try {
    const { version, applied, roundTrip } = await askPostgres(url);
    const answered = `PostgreSQL ${version} at ${whereTo(url)}, round trip ${roundTrip.toFixed(1)} ms`;
    return [ok('database', answered), await checkMigrations(applied)];
  } catch (error) {
    const advice = 'Check that the database runs and that DATABASE_URL is right.';
    return [fail('database', `no answer from ${whereTo(url)}: ${reasonOf(error)}`, advice)];
  }
}
