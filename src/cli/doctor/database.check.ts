import type { Config } from '../../kernel/config/config.js';
import { fail, type Finding, ok, reasonOf, whereTo } from './finding.js';
import { checkMigrations } from './migrations.check.js';
import { askPostgres } from './postgres.js';

/** The database that `DATABASE_URL` names. */
export async function checkDatabase(
  url: string,
  { migrateAtStart }: Pick<Config, 'migrateAtStart'>,
): Promise<Finding[]> {
  try {
    const { version, migrations, roundTrip } = await askPostgres(url);
    const answered = `PostgreSQL ${version} at ${whereTo(url)}, round trip ${roundTrip.toFixed(1)} ms`;
    return [ok('database', answered), checkMigrations(migrations, pendingAdvice(migrateAtStart))];
  } catch (error) {
    const advice = 'Check that the database runs and that DATABASE_URL is right.';
    return [fail('database', `no answer from ${whereTo(url)}: ${reasonOf(error)}`, advice)];
  }
}

const pendingAdvice = (migrateAtStart: boolean): string =>
  migrateAtStart ? 'The next start of the service applies them.' : 'Run petstore migrate.';
