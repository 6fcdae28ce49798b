import { DatabaseConfig } from '../../database/database.config.js';
import { WebhooksConfig } from '../../webhooks/webhooks.config.js';
import { HttpConfig } from '../../http/http.config.js';
import { RedisConfig } from '../../rate-limit/redis/redis.config.js';
import { inspectConfig } from '../../../settings.js';
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
  const http = config.inspect(HttpConfig);
  const webhooks = config.inspect(WebhooksConfig);
  const [database, redis, port] = await Promise.all([
    databaseUrl === undefined ? checkDataFolder(dataDir) : checkDatabase(databaseUrl, settings),
    checkRedis(config.inspect(RedisConfig)),
    checkPort(http),
  ]);
  /** Replaces the results of a check whose variables are invalid: it ran with the defaults. */
  const unless = (variables: readonly string[], check: string, results: CheckResult[]) => {
    const broken = variables.filter((variable) => problems.has(variable)).join(' and ');
    return broken === '' ? results : [warn(check, 'not checked', `Fix ${broken} first.`)];
  };
  return [
    ...configuration(problems),
    ...misspelled(config.misspelled),
    ...checkPublicAddress(http),
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
    ...(databaseUrl === undefined ? [] : checkWebhookSecrets(webhooks)),
  ];
}

function configuration(problems: ReadonlyMap<string, string>): CheckResult[] {
  if (problems.size === 0) return [ok('configuration', 'all variables are valid')];
  return [...problems.values()].map((problem) => fail('configuration', problem));
}

const misspelled = (names: ReadonlyMap<string, string>): CheckResult[] =>
  [...names].map(([name, meant]) =>
    warn('configuration', `nothing reads ${name}`, `Set ${meant} if you mean that.`),
  );

/** Who listens on every address is usually behind a proxy. */
function checkPublicAddress({ host, publicUrl, trustProxy }: HttpConfig): CheckResult[] {
  if (!['0.0.0.0', '::'].includes(host)) return [];
  const results = [];
  if (publicUrl === undefined)
    results.push(
      warn(
        'public address',
        `HOST is ${host}, without PUBLIC_URL`,
        'Set it to the address that clients use. Documents and links name it.',
      ),
    );
  if (trustProxy === false)
    results.push(
      warn(
        'public address',
        `HOST is ${host}, without TRUST_PROXY`,
        'Behind a proxy, set it. Otherwise all clients without a key share one address and its quota.',
      ),
    );
  return results;
}

function checkWebhookSecrets({ secretKeys }: WebhooksConfig): CheckResult[] {
  if (secretKeys.length > 0) return [ok('webhooks', 'secrets are encrypted')];
  return [
    warn(
      'webhooks',
      'secrets are stored in plain text',
      'Set WEBHOOK_SECRET_KEYS to a key made by openssl rand -base64 32.',
    ),
  ];
}
