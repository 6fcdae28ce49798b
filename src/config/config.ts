import { trustProxy } from './trust-proxy.js';
import { list, oneOf, optional, refuse, url, wholeNumber, type Environment } from './variables.js';

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
  /** Address clients use, without `/v1`; absent: where the service listens. */
  readonly publicUrl: string | undefined;
  readonly stagingPublicUrl: string | undefined;
  readonly trustProxy: false | number | string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Origins whose pages may call the service from a browser; none unless set. */
  readonly corsOrigins: string[];

  /** @throws StartupError naming the variable whose value cannot be used. */
  constructor(env: Environment = process.env) {
    this.port = wholeNumber(env, 'PORT', { min: 0, max: 65_535, fallback: 3000 });
    this.host = optional(env, 'HOST') ?? '127.0.0.1';
    this.databaseUrl = url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']);
    this.dataDir = optional(env, 'PETSTORE_DATA_DIR') ?? '.petstore';
    this.publicUrl = url(env, 'PUBLIC_URL', HTTP);
    this.stagingPublicUrl = url(env, 'STAGING_PUBLIC_URL', HTTP);
    this.trustProxy = trustProxy(env);
    this.logLevel = oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info');
    this.corsOrigins = list(env, 'CORS_ORIGINS').map(origin);
  }
}

function origin(value: string): string {
  return URL.canParse(value) && new URL(value).origin === value
    ? value
    : refuse('CORS_ORIGINS', value, 'origins such as https://app.example.com');
}
