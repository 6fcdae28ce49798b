import { inspectConfig } from '../../kernel/config/config.js';
import { checkDataFolder } from './data-folder.check.js';
import { checkDatabase } from './database.check.js';
import { fail, type Finding, ok, warn } from './finding.js';
import { checkPort } from './port.check.js';
import { checkRedis } from './redis.check.js';

/** Every check, side by side. None of them changes anything. */
export async function examine(): Promise<Finding[]> {
  const { config, problems } = inspectConfig();
  const { databaseUrl, dataDir } = config;
  const [database, redis, port] = await Promise.all([
    databaseUrl === undefined ? checkDataFolder(dataDir) : checkDatabase(databaseUrl, config),
    checkRedis(config),
    checkPort(config),
  ]);
  /** With a variable left out that cannot be used, a check was about something else. */
  const unless = (variables: readonly string[], check: string, findings: Finding[]) => {
    const broken = variables.filter((variable) => problems.has(variable)).join(' and ');
    return broken === '' ? findings : [warn(check, 'not checked', `Put ${broken} right first.`)];
  };
  return [
    ...configuration(problems),
    ...unless(['DATABASE_URL', 'DATABASE_URL_FILE'], 'database', database),
    ...unless(['REDIS_URL', 'REDIS_URL_FILE', 'REDIS_CLUSTER', 'REDIS_CA_FILE'], 'redis', redis),
    ...unless(['PORT'], 'port', port),
  ];
}

function configuration(problems: ReadonlyMap<string, string>): Finding[] {
  if (problems.size === 0) return [ok('configuration', 'every variable can be used')];
  return [...problems.values()].map((problem) => fail('configuration', problem));
}
