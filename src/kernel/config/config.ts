import { trustProxy } from './trust-proxy.js';
import { type RedisTopology, redisTopology } from './redis-topology.js';
import { hours, minutes, seconds } from '../clock/duration.js';
import { type Environment, Variables } from './variables.js';
import { StartupError } from '../errors/common.errors.js';

/** All invalid variables, in one message. */
class InvalidConfig extends StartupError {
  /** @param problems by variable, one line each */
  constructor(problems: ReadonlyMap<string, string>) {
    const lines = [...problems.values()];
    super(
      lines.length === 1 ? lines.join() : [`${lines.length} variables are invalid.`, ...lines].join('\n  '),
    );
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const HTTP = ['http:', 'https:'];
const POSTGRES = ['postgres:', 'postgresql:'];

/** The settings from the environment, validated once at start. No other folder reads `process.env`. */
export class Config {
  /** TCP port, 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** Absent: an embedded PostgreSQL keeps its files in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Reads `DATABASE_URL_FILE` anew, whose password may have been rotated. Absent: the URL is not in a file. */
  readonly currentDatabaseUrl: (() => string | undefined) | undefined;
  /** Bypasses a connection pooler, for notifications and migrations, which need a session. Default: `databaseUrl`. */
  readonly directDatabaseUrl: string | undefined;
  readonly currentDirectDatabaseUrl: (() => string | undefined) | undefined;
  /** Whether a connection may keep prepared statements. A pooler may give each transaction another connection. */
  readonly preparedStatements: boolean;
  readonly dataDir: string;
  /** Who changes keys by the command line, for their history; absent: the user of the operating system. */
  readonly actor: string | undefined;
  /** Whether the service runs pending migrations at start; otherwise `petstore migrate` has to. */
  readonly migrateAtStart: boolean;
  /** Public address without `/v1`; absent: the address that the service listens on. */
  readonly publicUrl: string | undefined;
  readonly stagingPublicUrl: string | undefined;
  readonly trustProxy: false | number | string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** TCP port for `/metrics` alone, 0 for any free one; absent: the port of the service. */
  readonly metricsPort: number | undefined;
  /** Whether to send a span for each request to an OpenTelemetry collector. */
  readonly tracing: boolean;
  /** Origins whose pages may call the service from a browser; default none. */
  readonly corsOrigins: string[];
  /** Requests per minute from one address without a valid key. */
  readonly anonymousPerMinute: number;
  /** Maximum number of addresses counted at a time; it bounds their memory. */
  readonly maxAnonymousAddresses: number;
  /** Rejected requests within a minute that ban a key; at least half its per-minute limit. */
  readonly banStrikes: number;
  /** Durations of the first ban, the second, and so on, in milliseconds; the last one repeats. */
  readonly banSteps: readonly number[];
  /** Absent: this process counts the quotas in its memory, which is exact for one process. */
  readonly redisUrl: string | undefined;
  /** Whether `redisUrl` names a node of a Redis Cluster. */
  readonly redisCluster: boolean;
  /** Nodes of the cluster to begin with, beside that of `redisUrl`. */
  readonly redisClusterNodes: RedisTopology['clusterNodes'];
  /** Sentinels that know the master; then the host of `redisUrl` is not used. */
  readonly redisSentinels: RedisTopology['sentinels'];
  readonly redisSentinelName: string;
  readonly redisSentinelPassword: string | undefined;
  /** PEM of a certificate authority for a `rediss:` server, beside those of the system. */
  readonly redisCa: string | undefined;
  /** How long the service continues to respond after a SIGTERM, in milliseconds, while the balancer stops sending requests. */
  readonly shutdownGrace: number;
  /** Whether to use the fast paths (docs/performance.md). They change no result. */
  readonly fastPaths: boolean;
  /** Maximum number of open connections; further ones are closed at once. */
  readonly maxConnections: number;
  /** Whether this process delivers webhooks; otherwise `petstore worker` does. */
  readonly webhookWorker: boolean;
  readonly #env: Environment;

  /** @throws InvalidConfig with every invalid variable, unless `onProblems` is given */
  constructor(env: Environment = process.env, onProblems = throwProblems) {
    this.#env = env;
    const variables = new Variables(env);
    this.port = variables.wholeNumber('PORT', { min: 0, max: 65_535, fallback: 3000 });
    this.host = variables.optional('HOST') ?? '127.0.0.1';
    this.databaseUrl = variables.secretUrl('DATABASE_URL', POSTGRES);
    this.currentDatabaseUrl = reread(env, 'DATABASE_URL');
    this.directDatabaseUrl = variables.secretUrl('DATABASE_DIRECT_URL', POSTGRES);
    this.currentDirectDatabaseUrl = reread(env, 'DATABASE_DIRECT_URL');
    if (this.directDatabaseUrl !== undefined) variables.needs('DATABASE_DIRECT_URL', 'DATABASE_URL');
    this.preparedStatements = variables.flag('DATABASE_PREPARED_STATEMENTS', true);
    this.actor = variables.optional('PETSTORE_ACTOR');
    this.dataDir = variables.optional('PETSTORE_DATA_DIR') ?? '.petstore';
    this.migrateAtStart = variables.flag('MIGRATE_AT_START', true);
    this.publicUrl = publicUrl(variables, 'PUBLIC_URL');
    this.stagingPublicUrl = publicUrl(variables, 'STAGING_PUBLIC_URL');
    this.trustProxy = trustProxy(variables);
    this.logLevel = variables.oneOf('LOG_LEVEL', LOG_LEVELS, 'info');
    this.metricsPort = metricsPort(variables, this.port);
    this.tracing = tracing(variables);
    this.corsOrigins = corsOrigins(variables);
    this.anonymousPerMinute = variables.wholeNumber('ANONYMOUS_PER_MINUTE', {
      min: 1,
      max: 1_000_000,
      fallback: 30,
    });
    this.maxAnonymousAddresses = variables.wholeNumber('ANONYMOUS_ADDRESSES', {
      min: 100,
      max: 10_000_000,
      fallback: 100_000,
    });
    this.banStrikes = variables.wholeNumber('BAN_STRIKES', { min: 1, max: 1_000_000, fallback: 20 });
    this.banSteps = variables.durations('BAN_SECONDS', [minutes(1), minutes(5), minutes(15), hours(1)]);
    this.redisUrl = variables.secretUrl('REDIS_URL', ['redis:', 'rediss:']);
    const topology = redisTopology(variables, this.redisUrl);
    this.redisCluster = topology.cluster;
    this.redisClusterNodes = topology.clusterNodes;
    this.redisSentinels = topology.sentinels;
    this.redisSentinelName = topology.sentinelName;
    this.redisSentinelPassword = topology.sentinelPassword;
    this.redisCa = variables.file('REDIS_CA_FILE');
    this.fastPaths = variables.flag('FAST_PATHS', true);
    this.maxConnections = variables.wholeNumber('MAX_CONNECTIONS', {
      min: 1,
      max: 1_000_000,
      fallback: 10_000,
    });
    this.webhookWorker = variables.flag('WEBHOOK_WORKER', true);
    // On a terminal there is no balancer to wait for.
    const fallback = process.stdout.isTTY ? 0 : 3;
    this.shutdownGrace = seconds(
      variables.wholeNumber('SHUTDOWN_GRACE_SECONDS', { min: 0, max: 300, fallback }),
    );
    if (variables.problems.size > 0) onProblems(variables.problems);
  }

  /** The settings of a feature, whose class stands in its folder. @throws InvalidConfig */
  read<Settings>(settings: new (variables: Variables) => Settings): Settings {
    const variables = new Variables(this.#env);
    const read = new settings(variables);
    if (variables.problems.size > 0) throw new InvalidConfig(variables.problems);
    return read;
  }
}

/** Reads the URL of a file anew. Absent: it is not in a file. */
function reread(
  env: Environment,
  name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL',
): (() => string | undefined) | undefined {
  if (new Variables(env).optional(`${name}_FILE`) === undefined) return undefined;
  return () => new Variables(env).secretUrl(name, POSTGRES);
}

function throwProblems(problems: ReadonlyMap<string, string>): void {
  throw new InvalidConfig(problems);
}

/** The service adds the version to it. */
function publicUrl(variables: Variables, name: 'PUBLIC_URL' | 'STAGING_PUBLIC_URL'): string | undefined {
  const url = variables.url(name, HTTP);
  if (url === undefined || !/\/v\d+$/.test(url)) return url;
  return variables.reject<string | undefined>(name, url, 'a URL without the version at its end', undefined);
}

function metricsPort(variables: Variables, port: number): number | undefined {
  const value = variables.optional('METRICS_PORT');
  if (value === undefined) return undefined;
  const own = variables.wholeNumber('METRICS_PORT', { min: 0, max: 65_535, fallback: 0 });
  if (own === 0 || own !== port) return own;
  return variables.reject<number | undefined>('METRICS_PORT', value, 'a port other than PORT', undefined);
}

function corsOrigins(variables: Variables): string[] {
  const origins = variables.list('CORS_ORIGINS');
  const wrong = origins.find((value) => !URL.canParse(value) || new URL(value).origin !== value);
  if (wrong === undefined) return origins;
  return variables.reject('CORS_ORIGINS', wrong, 'origins such as https://app.example.com', []);
}

/**
 * Whether OpenTelemetry's standard variables name a collector and do not switch tracing off. OpenTelemetry's libraries
 * read the other `OTEL_…` variables.
 */
function tracing(variables: Variables): boolean {
  const collector =
    variables.optional('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    variables.optional('OTEL_EXPORTER_OTLP_ENDPOINT');
  const off =
    variables.optional('OTEL_SDK_DISABLED') === 'true' ||
    variables.optional('OTEL_TRACES_EXPORTER') === 'none';
  if (collector === undefined || off) return false;
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    variables.oneOf(name, ['http/json'], 'http/json');
  }
  return true;
}

interface InspectedConfig {
  /** Invalid variables have their defaults. */
  readonly config: Config;
  /** By variable, one line each. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Reports problems where `new Config()` throws. */
export function inspectConfig(env: Environment = process.env): InspectedConfig {
  let problems: ReadonlyMap<string, string> = new Map();
  const config = new Config(env, (found) => (problems = found));
  return { config, problems };
}
