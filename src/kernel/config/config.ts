import { tracing } from './tracing.js';
import { trustProxy } from './trust-proxy.js';
import { hours, minutes, seconds } from '../clock/duration.js';
import {
  durations,
  file,
  flag,
  list,
  oneOf,
  optional,
  refuse,
  secretUrl,
  url,
  wholeNumber,
  type Environment,
} from './variables.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const HTTP = ['http:', 'https:'];

/** What the environment decides, validated once at start. Nothing outside this folder reads `process.env`. */
export class Config {
  /** TCP port, 0 for any free one. */
  readonly port: number;
  readonly host: string;
  /** Absent: an embedded PostgreSQL keeps its files in `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** Whether the start brings the tables up to date; otherwise `petstore migrate` has to be run. */
  readonly migrateAtStart: boolean;
  /** Address clients use, without `/v1`; absent: where the service listens. */
  readonly publicUrl: string | undefined;
  readonly stagingPublicUrl: string | undefined;
  readonly trustProxy: false | number | string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** TCP port of `/metrics` alone, 0 for any free one; absent: it is served beside everything else. */
  readonly metricsPort: number | undefined;
  /** Whether a span of each request goes to an OpenTelemetry collector. */
  readonly tracing: boolean;
  /** Origins whose pages may call the service from a browser; none unless set. */
  readonly corsOrigins: string[];
  /** Requests per minute from one address without a valid key. */
  readonly strangersPerMinute: number;
  /** Addresses that are counted at a time; the memory for them is bounded by it. */
  readonly mostAddresses: number;
  /** Refused requests within a minute that ban a key, or half its minute limit where that is more. */
  readonly banStrikes: number;
  /** How long the first ban lasts, the second, and so on, in milliseconds; the last one for all further. */
  readonly banSteps: readonly number[];
  /** Absent: quotas are counted in this process's memory, which is exact for one process. */
  readonly redisUrl: string | undefined;
  /** Whether `redisUrl` names a node of a Redis Cluster. */
  readonly redisCluster: boolean;
  /** Certificate authority of a `rediss:` server that the system does not know, in PEM. */
  readonly redisCa: string | undefined;
  /** How long the service answers on after a SIGTERM, in milliseconds: what the balancer needs to send nobody any more. */
  readonly shutdownGrace: number;
  /** Whether the faster paths beside the standard ones are taken (docs/performance.md); they change no result. */
  readonly fastPaths: boolean;
  /** Open connections at a time; further ones are closed as soon as they are made. */
  readonly maxConnections: number;

  /** @throws StartupError naming the variable whose value cannot be used. */
  constructor(env: Environment = process.env) {
    this.port = wholeNumber(env, 'PORT', { min: 0, max: 65_535, fallback: 3000 });
    this.host = optional(env, 'HOST') ?? '127.0.0.1';
    this.databaseUrl = secretUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:']);
    this.dataDir = optional(env, 'PETSTORE_DATA_DIR') ?? '.petstore';
    this.migrateAtStart = flag(env, 'MIGRATE_AT_START', true);
    this.publicUrl = url(env, 'PUBLIC_URL', HTTP);
    this.stagingPublicUrl = url(env, 'STAGING_PUBLIC_URL', HTTP);
    this.trustProxy = trustProxy(env);
    this.logLevel = oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info');
    this.metricsPort = metricsPort(env, this.port);
    this.tracing = tracing(env);
    this.corsOrigins = list(env, 'CORS_ORIGINS').map(origin);
    this.strangersPerMinute = wholeNumber(env, 'ANONYMOUS_PER_MINUTE', {
      min: 1,
      max: 1_000_000,
      fallback: 30,
    });
    this.mostAddresses = wholeNumber(env, 'ANONYMOUS_ADDRESSES', {
      min: 100,
      max: 10_000_000,
      fallback: 100_000,
    });
    this.banStrikes = wholeNumber(env, 'BAN_STRIKES', { min: 1, max: 1_000_000, fallback: 20 });
    this.banSteps = durations(env, 'BAN_SECONDS', [minutes(1), minutes(5), minutes(15), hours(1)]);
    this.redisUrl = secretUrl(env, 'REDIS_URL', ['redis:', 'rediss:']);
    this.redisCluster = flag(env, 'REDIS_CLUSTER', false);
    this.redisCa = file(env, 'REDIS_CA_FILE');
    this.fastPaths = oneOf(env, 'FAST_PATHS', ['on', 'off'], 'on') === 'on';
    this.maxConnections = wholeNumber(env, 'MAX_CONNECTIONS', { min: 1, max: 1_000_000, fallback: 10_000 });
    // On a terminal a person waits for it, and no balancer is in front.
    const fallback = process.stdout.isTTY ? 0 : 3;
    this.shutdownGrace = seconds(wholeNumber(env, 'SHUTDOWN_GRACE_SECONDS', { min: 0, max: 300, fallback }));
  }
}

function metricsPort(env: Environment, port: number): number | undefined {
  const value = optional(env, 'METRICS_PORT');
  if (value === undefined) return undefined;
  const own = wholeNumber(env, 'METRICS_PORT', { min: 0, max: 65_535, fallback: 0 });
  return own !== 0 && own === port ? refuse('METRICS_PORT', value, 'another port than PORT') : own;
}

function origin(value: string): string {
  return URL.canParse(value) && new URL(value).origin === value
    ? value
    : refuse('CORS_ORIGINS', value, 'origins such as https://app.example.com');
}
