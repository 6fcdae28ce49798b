import type { Cluster } from 'ioredis';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspectSettings } from '../bootstrap/application.js';
import { migrationsOf } from '../bootstrap/migrations.js';
import type { ServiceDefinition } from '../bootstrap/service-definition.js';
import { checkSettings } from '../bootstrap/checks.js';
import { checksOf } from '../bootstrap/feature.js';
import { listenAddresses } from '../bootstrap/ports.js';
import { seconds, withTimeout } from '../../kernel/clock/duration.js';
import { type CheckResult, fail, failureOf, ok, warn } from '../../kernel/config/check-result.js';
import { service } from '../../kernel/config/service.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import { DatabaseConfig } from '../../data/database/database.config.js';
import { type Checked, checkDatabase } from '../../data/database/checks/check-database.js';
import type { MigrationState } from '../../data/database/migrations/migration-state.js';
import { openUnmigrated } from '../../data/database/open-database.js';
import { checkAddress, clientHost, type ListenAddress } from '../../http/core/listen-on.js';
import { openRedis, type RedisWithScripts } from '../../access/rate-limit/redis/open-redis.js';
import {
  inspectCluster,
  reasonOf,
  selectDatabase,
  tryCounting,
} from '../../access/rate-limit/redis/redis-checks.js';
import { shardOf } from '../../access/rate-limit/redis/redis-shards.js';
import { RedisConfig } from '../../access/rate-limit/redis/redis.config.js';

const TIMEOUT = seconds(5);

/** Runs all checks in parallel, each with a time limit. They change nothing that lasts. */
export async function runChecks(definition: ServiceDefinition): Promise<CheckResult[]> {
  const { features } = await definition.load();
  const config = inspectSettings(features);
  /** Runs a check, unless its variables are invalid. */
  const run = async (check: string, variables: RegExp, work: () => Promise<CheckResult[]>) => {
    const broken = [...config.problems.keys()].filter((name) => variables.test(name)).join(' and ');
    if (broken !== '') return [warn(check, 'not checked', `Fix ${broken} first.`)];
    return work().catch((error: unknown) => [failureOf(check, error)]);
  };
  const checked = { config, known: migrationsOf(definition), checks: checksOf(features) };
  const connections = await Promise.all([
    run('database', /^DATABASE_/, () => ofDatabase(checked)),
    run('redis', /^REDIS_/, () => checkRedis(config.inspect(RedisConfig))),
    run('port', /^(METRICS_)?PORT$/, () => checkPorts(listenAddresses(config))),
  ]);
  return [...checkSettings(config), ...connections.flat()];
}

/** The host and path of a URL. A password with an unencoded `/` would continue in the path, so removes it. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/^.*@/, '');
}

async function ofDatabase(checked: Checked): Promise<CheckResult[]> {
  const { databaseUrl, directDatabaseUrl, dataDir } = checked.config.inspect(DatabaseConfig);
  if (databaseUrl !== undefined) {
    const checking = checkDatabase(databaseUrl, directDatabaseUrl ?? databaseUrl, checked);
    const { found, migrations } = await withTimeout(checking, TIMEOUT, () => {
      throw new StartupError(
        `PostgreSQL at ${addressOf(databaseUrl)} does not respond. Check whether it is frozen.`,
      );
    });
    return [
      ok('database', `PostgreSQL at ${addressOf(databaseUrl)} responds`),
      ...ofMigrations(migrations, found),
      ...found,
    ];
  }
  const place = `embedded PostgreSQL in ${resolve(dataDir)}`;
  if (!existsSync(join(dataDir, 'postgres'))) return [ok('database', `${place}, created at the first start`)];
  const server = await openUnmigrated(dataDir);
  const { url } = server;
  const { found, migrations } = await checkDatabase(url, url, checked).finally(() => server.stop());
  return [ok('database', `${place} responds`), ...ofMigrations(migrations, found), ...found];
}

function ofMigrations(
  { applied, pending, newer }: MigrationState,
  found: readonly CheckResult[],
): readonly CheckResult[] {
  if (newer.length > 0) {
    return [
      warn(
        'migrations',
        `from a newer version: ${newer.join(', ')}`,
        'This version may not match the tables. Run the newer version, or put back the files of migrations that were deleted, and revert them.',
      ),
    ];
  }
  if (pending.length > 0) {
    const known = applied.length + pending.length;
    const isRefused = found.some(({ state }) => state === 'fail');
    const advice = isRefused
      ? 'The next start of the service does not apply them before all checks pass.'
      : 'The next start of the service applies them.';
    return [warn('migrations', `${pending.length} of ${known} pending: ${pending.join(', ')}`, advice)];
  }
  return [ok('migrations', `all ${applied.length} applied`)];
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

/** Checks that the ports are free or that the service already listens there. */
async function checkPorts(addresses: readonly ListenAddress[]): Promise<CheckResult[]> {
  return Promise.all(
    addresses.map((address) => checkPort(address).catch((error: unknown) => failureOf('port', error))),
  );
}

async function checkPort(address: ListenAddress): Promise<CheckResult> {
  const { host, port, variable } = address;
  if (port === 0) return ok('port', variable === 'PORT' ? 'any free port' : `any free port for ${variable}`);
  try {
    await checkAddress(address);
    return ok('port', `${port} is free on ${host}`);
  } catch (error) {
    if (!(await isOurs(`http://${clientHost(host)}:${port}`))) throw error;
    return ok('port', `the ${service().noun} already listens on ${port}`);
  }
}

/** Reads the OpenAPI document or the metrics, which need no key and have no quota. */
async function isOurs(base: string): Promise<boolean> {
  const reads = async (path: string, text: string) =>
    (await (await fetch(base + path, { signal: AbortSignal.timeout(seconds(1)) })).text()).includes(text);
  return (
    (await reads('/openapi.json', `"title":${JSON.stringify(service().title)}`).catch(() => false)) ||
    reads('/metrics', `${service().prefix}_build_info{`).catch(() => false)
  );
}
