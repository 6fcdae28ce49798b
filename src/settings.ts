import { AuthConfig } from './auth/auth.config.js';
import { DatabaseConfig } from './database/database.config.js';
import { HttpConfig } from './http/http.config.js';
import { Config, type Settings } from './kernel/config/config.js';
import { ObservabilityConfig } from './observability/observability.config.js';
import { RateLimitConfig } from './rate-limit/rate-limit.config.js';
import { RedisConfig } from './rate-limit/redis/redis.config.js';

/** The settings of the platform. A feature reads its own. */
const SETTINGS: readonly Settings[] = [
  HttpConfig,
  DatabaseConfig,
  AuthConfig,
  ObservabilityConfig,
  RateLimitConfig,
  RedisConfig,
];

/** @throws StartupError with every invalid variable */
export const readConfig = (): Config => inspectConfig().check();

/** Replaces invalid values with their defaults and lists them in `problems`. */
export function inspectConfig(config = new Config()): Config {
  for (const settings of SETTINGS) config.inspect(settings);
  return config;
}
