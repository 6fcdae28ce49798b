import type { Cluster } from 'ioredis';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Application } from '../bootstrap/application.js';
import { seconds, withTimeout } from '../clock/duration.js';
import { SERVICE } from '../config/service.js';
import { StartupError } from '../config/startup-error.js';
import { DatabaseConfig } from '../database/database.config.js';
import { inspectMigrations } from '../database/migrations/migrate.js';
import type { Migration, MigrationState } from '../database/migrations/migration-state.js';
import { openUnmigrated } from '../database/open-database.js';
import { tryPreparedStatements } from '../database/pooler-check.js';
import { HttpConfig } from '../http/http.config.js';
import { checkAddress, clientHost, isWildcard } from '../http/listen-on.js';
import { openRedis, type RedisWithScripts } from '../rate-limit/redis/open-redis.js';
import { inspectCluster, reasonOf, selectDatabase, tryCounting } from '../rate-limit/redis/redis-checks.js';
import { shardOf } from '../rate-limit/redis/redis-shards.js';
import { RedisConfig } from '../rate-limit/redis/redis.config.js';
import { WebhooksConfig } from '../webhooks/webhooks.config.js';

const TIMEOUT = seconds(5);

/** The result of a check. `fail` means that the service does not start or does not work correctly. */
export interface CheckResult {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly finding: string;
  /** What to do, if anything. */
  readonly advice: string | null;
}

const ok = (check: string, finding: string): CheckResult => ({ check, state: 'ok', finding, advice: null });

const warn = (check: string, finding: string, advice: string): CheckResult => ({
  check,
  state: 'warn',
  finding,
  advice,
});

const fail = (check: string, finding: string, advice: string | null): CheckResult => ({
  check,
  state: 'fail',
  finding,
  advice,
});

/** Runs all checks in parallel, each with a time limit. They change nothing that lasts. */
export async function runChecks({ inspectConfig, migrations }: Application): Promise<CheckResult[]> {
  const config = inspectConfig();
  const http = config.inspect(HttpConfig);
  const database = config.inspect(DatabaseConfig);
  const webhooks = config.inspect(WebhooksConfig);
  const { problems, misspelled } = config;
  /** Runs a check, unless its variables are invalid. The first sentence of an error of ours is the finding, the rest is advice. */
  const run = async (check: string, variables: RegExp, work: () => Promise<CheckResult[]>) => {
    const broken = [...problems.keys()].filter((name) => variables.test(name)).join(' and ');
    if (broken !== '') return [warn(check, 'not checked', `Fix ${broken} first.`)];
    return work().catch((error: unknown): CheckResult[] => {
      const { message } = error as Error;
      if (!(error instanceof StartupError)) return [fail(check, message, null)];
      const [finding = '', ...advice] = message.split(/(?<=\.)\s+/);
      return [fail(check, finding, advice.join(' ') || null)];
    });
  };
  const connections = await Promise.all([
    run('database', /^DATABASE_/, () => checkDatabase(database, migrations)),
    run('redis', /^REDIS_/, () => checkRedis(config.inspect(RedisConfig))),
    run('port', /^PORT$/, () => checkPort(http)),
  ]);
  return [
    ...(problems.size === 0 ? [ok('configuration', 'all variables are valid')] : []),
    ...[...problems.values()].map((finding) => fail('configuration', finding, null)),
    ...[...misspelled].map(([name, meant]) =>
      warn('configuration', `nothing reads ${name}`, `Set ${meant} if you mean that.`),
    ),
    ...checkPublicAddress(http),
    ...connections.flat(),
    ...(database.databaseUrl === undefined ? [] : checkWebhookSecrets(webhooks)),
  ];
}

/** The host and path of a URL. A password with an unencoded `/` would continue in the path, so removes it. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/^.*@/, '');
}

async function checkDatabase(
  config: DatabaseConfig,
  migrations: readonly Migration[],
): Promise<CheckResult[]> {
  const { databaseUrl, directDatabaseUrl, preparedStatements, dataDir, migrateAtStart } = config;
  if (databaseUrl !== undefined) {
    const inTime = <T>(work: Promise<T>, url: string) =>
      withTimeout(work, TIMEOUT, () => {
        throw new StartupError(
          `PostgreSQL at ${addressOf(url)} does not respond. Check whether it is frozen.`,
        );
      });
    const direct = directDatabaseUrl ?? databaseUrl;
    const state = await inTime(inspectMigrations(direct, migrations), direct);
    if (preparedStatements) await inTime(tryPreparedStatements(databaseUrl), databaseUrl);
    const advice = migrateAtStart ? 'The next start of the service applies them.' : 'Run petstore migrate.';
    if (migrateAtStart && state.obstacle !== undefined) throw new StartupError(state.obstacle);
    return [ok('database', `PostgreSQL at ${addressOf(databaseUrl)} responds`), ofMigrations(state, advice)];
  }
  const place = `embedded PostgreSQL in ${resolve(dataDir)}`;
  if (!existsSync(join(dataDir, 'postgres'))) return [ok('database', `${place}, created at the first start`)];
  const server = await openUnmigrated(dataDir);
  const state = await inspectMigrations(server.url, migrations).finally(() => server.stop());
  return [
    ok('database', `${place} responds`),
    ofMigrations(state, 'The next start of the service applies them.'),
  ];
}

function ofMigrations({ applied, pending, newer }: MigrationState, advice: string): CheckResult {
  if (newer.length > 0) {
    return warn(
      'migrations',
      `from a newer version: ${newer.join(', ')}`,
      'This version may not match the tables. Run the newer version.',
    );
  }
  if (pending.length > 0) {
    const known = applied.length + pending.length;
    return warn('migrations', `${pending.length} of ${known} pending: ${pending.join(', ')}`, advice);
  }
  return ok('migrations', `all ${applied.length} applied`);
}

/** Connects as the service does, and counts in keys of its own. */
async function checkRedis(config: RedisConfig): Promise<CheckResult[]> {
  const { url, cluster, sentinels, sentinelName } = config;
  if (url === undefined) return [ok('redis', 'not used: quotas are counted in the memory of one process')];
  const place = cluster
    ? `the cluster at ${addressOf(url)}`
    : sentinels.length > 0
      ? `the master "${sentinelName}" of the sentinels`
      : addressOf(url);
  const redis = openRedis(config);
  let reason: Error | undefined;
  redis.on('error', (error: Error) => (reason ??= error)); // connect() itself names no reason
  try {
    await withTimeout(redis.connect(), TIMEOUT);
  } catch (error) {
    redis.disconnect();
    const finding = `no response from ${place}: ${reasonOf(reason ?? error)}`;
    return [fail('redis', finding, 'Check that Redis runs and that its URL is right.')];
  }
  try {
    if ('slots' in redis) return [await checkCluster(redis, place)];
    await withTimeout(selectDatabase(redis), TIMEOUT);
    await tryCounting(redis, TIMEOUT);
    return [ok('redis', `${place} responds and counts`)];
  } catch (error) {
    const advice = 'Until this is fixed, each replica counts its share of every limit.';
    return [fail('redis', `${place} responds, but does not count: ${reasonOf(error)}`, advice)];
  } finally {
    redis.disconnect();
  }
}

async function checkCluster(redis: RedisWithScripts & Cluster, place: string): Promise<CheckResult> {
  const { up, down } = await inspectCluster(redis, TIMEOUT);
  await tryCounting(redis, TIMEOUT, (key) => down.includes(shardOf(redis, key)));
  if (down.length === 0) return ok('redis', `${place} responds and counts: ${up.join(', ')}`);
  const finding = `${place} responds and counts, but ${down.join(', ')} ${down.length === 1 ? 'does' : 'do'} not respond`;
  return warn('redis', finding, 'Start these nodes: the cluster cannot replace the next ones that fail.');
}

/** Checks that the port is free or that the service already listens on it. */
async function checkPort({ host, port }: HttpConfig): Promise<CheckResult[]> {
  if (port === 0) return [ok('port', 'any free port')];
  try {
    await checkAddress({ host, port });
    return [ok('port', `${port} is free on ${host}`)];
  } catch (error) {
    if (!(await isPetstore(`http://${clientHost(host)}:${port}`))) throw error;
    return [ok('port', `the ${SERVICE.noun} already listens on ${port}`)];
  }
}

/** Reads the OpenAPI document, which needs no key and has no quota. */
async function isPetstore(base: string): Promise<boolean> {
  try {
    const response = await fetch(`${base}/openapi.json`, { signal: AbortSignal.timeout(seconds(1)) });
    const { info } = (await response.json()) as { info?: { title?: unknown } };
    return info?.title === SERVICE.title;
  } catch {
    return false;
  }
}

/** Who listens on every address is usually behind a proxy. */
function checkPublicAddress({ host, publicUrl, trustProxy }: HttpConfig): CheckResult[] {
  if (!isWildcard(host)) return [];
  const lacks = (variable: string, advice: string) =>
    warn('public address', `HOST is ${host}, without ${variable}`, advice);
  const address = 'Set it to the address that clients use. Documents and links name it.';
  const proxy =
    'Behind a proxy, set it. Otherwise all clients without a key share one address and its quota.';
  return [
    ...(publicUrl === undefined ? [lacks('PUBLIC_URL', address)] : []),
    ...(trustProxy === false ? [lacks('TRUST_PROXY', proxy)] : []),
  ];
}

function checkWebhookSecrets({ secretKeys }: WebhooksConfig): CheckResult[] {
  if (secretKeys.length > 0) return [ok('webhooks', 'secrets are encrypted')];
  const advice = 'Set WEBHOOK_SECRET_KEYS to a key made by openssl rand -base64 32.';
  return [warn('webhooks', 'secrets are stored in plain text', advice)];
}
