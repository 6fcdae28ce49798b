import { DatabaseConfig } from '../../database/database.config.js';
import { HttpConfig } from '../../http/http.config.js';
import { RedisConfig } from '../../rate-limit/redis/redis.config.js';
import { inspectConfig } from '../../settings.js';
import { checkDataFolder } from './data-folder.check.js';
import { checkDatabase } from './database.check.js';
import { fail, type CheckResult, ok, warn } from './check-result.js';
import { checkPort } from './port.check.js';
import { checkRedis } from './redis.check.js';

/** Runs all checks in parallel. They change nothing. */
export async function runChecks(): Promise<CheckResult[]> {
  const config = inspectConfig();
  const { problems } = config;
  const settings = config.inspect(DatabaseConfig);
  const { databaseUrl, dataDir } = settings;
  const [database, redis, port] = await Promise.all([
    databaseUrl === undefined ? checkDataFolder(dataDir) : checkDatabase(databaseUrl, settings),
    checkRedis(config.inspect(RedisConfig)),
    checkPort(config.inspect(HttpConfig)),
  ]);
  /** Replaces the results of a check whose variables are invalid: it ran with the defaults. */
  const unless = (variables: readonly string[], check: string, results: CheckResult[]) => {
    const broken = variables.filter((variable) => problems.has(variable)).join(' and ');
    return broken === '' ? results : [warn(check, 'not checked', `Fix ${broken} first.`)];
  };
  return [
    ...configuration(problems),
    ...unless(
      [...problems.keys()].filter((name) => name.startsWith('DATABASE_')),
      'database',
      database,
    ),
    ...unless(
      [...problems.keys()].filter((name) => name.startsWith('REDIS_')),
      'redis',
      redis,
    ),
    ...unless(['PORT'], 'port', port),
  ];
}

function configuration(problems: ReadonlyMap<string, string>): CheckResult[] {
  if (problems.size === 0) return [ok('configuration', 'all variables are valid')];
  return [...problems.values()].map((problem) => fail('configuration', problem));
}
