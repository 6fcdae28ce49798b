import { tracing } from './tracing.js';
import { trustProxy } from './trust-proxy.js';
import { hours, minutes, seconds } from '../clock/duration.js';
import { InvalidConfig } from './invalid-config.error.js';
import { type Environment, Variables } from './variables.js';

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

  /** @throws InvalidConfig that names every variable whose value cannot be used, unless `onProblems` takes them. */
  constructor(env: Environment = process.env, onProblems = throwProblems) {
    const variables = new Variables(env);
    this.port = variables.wholeNumber('PORT', { min: 0, max: 65_535, fallback: 3000 });
    this.host = variables.optional('HOST') ?? '127.0.0.1';
    this.databaseUrl = variables.secretUrl('DATABASE_URL', ['postgres:', 'postgresql:']);
    this.dataDir = variables.optional('PETSTORE_DATA_DIR') ?? '.petstore';
    this.migrateAtStart = variables.flag('MIGRATE_AT_START', true);
    this.publicUrl = variables.url('PUBLIC_URL', HTTP);
    this.stagingPublicUrl = variables.url('STAGING_PUBLIC_URL', HTTP);
    this.trustProxy = trustProxy(variables);
    this.logLevel = variables.oneOf('LOG_LEVEL', LOG_LEVELS, 'info');
    this.metricsPort = metricsPort(variables, this.port);
    this.tracing = tracing(variables);
    this.corsOrigins = corsOrigins(variables);
    this.strangersPerMinute = variables.wholeNumber('ANONYMOUS_PER_MINUTE', {
      min: 1,
      max: 1_000_000,
      fallback: 30,
    });
    this.mostAddresses = variables.wholeNumber('ANONYMOUS_ADDRESSES', {
      min: 100,
      max: 10_000_000,
      fallback: 100_000,
    });
    this.banStrikes = variables.wholeNumber('BAN_STRIKES', { min: 1, max: 1_000_000, fallback: 20 });
    this.banSteps = variables.durations('BAN_SECONDS', [minutes(1), minutes(5), minutes(15), hours(1)]);
    this.redisUrl = variables.secretUrl('REDIS_URL', ['redis:', 'rediss:']);
    this.redisCluster = variables.flag('REDIS_CLUSTER', false);
    this.redisCa = variables.file('REDIS_CA_FILE');
    this.fastPaths = variables.oneOf('FAST_PATHS', ['on', 'off'], 'on') === 'on';
    this.maxConnections = variables.wholeNumber('MAX_CONNECTIONS', {
      min: 1,
      max: 1_000_000,
      fallback: 10_000,
    });
    // On a terminal a person waits for it, and no balancer is in front.
    const fallback = process.stdout.isTTY ? 0 : 3;
    this.shutdownGrace = seconds(
      variables.wholeNumber('SHUTDOWN_GRACE_SECONDS', { min: 0, max: 300, fallback }),
    );
    if (variables.problems.size > 0) onProblems(variables.problems);
  }
}

function throwProblems(problems: ReadonlyMap<string, string>): void {
  throw new InvalidConfig(problems);
}

function metricsPort(variables: Variables, port: number): number | undefined {
  const value = variables.optional('METRICS_PORT');
  if (value === undefined) return undefined;
  const own = variables.wholeNumber('METRICS_PORT', { min: 0, max: 65_535, fallback: 0 });
  if (own === 0 || own !== port) return own;
  return variables.reject<number | undefined>('METRICS_PORT', value, 'another port than PORT', undefined);
}

function corsOrigins(variables: Variables): string[] {
  const origins = variables.list('CORS_ORIGINS');
  const wrong = origins.find((value) => !URL.canParse(value) || new URL(value).origin !== value);
  if (wrong === undefined) return origins;
  return variables.reject('CORS_ORIGINS', wrong, 'origins such as https://app.example.com', []);
}
