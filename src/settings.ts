import { KeysConfig } from './platform/keys/keys.config.js';
import { DatabaseConfig } from './platform/database/database.config.js';
import { HttpConfig } from './platform/http/http.config.js';
import type { Settings } from './platform/config/config.js';
import { LoggingConfig } from './platform/logging/logging.config.js';
import { MetricsConfig } from './platform/metrics/metrics.config.js';
import { RateLimitConfig } from './platform/rate-limit/rate-limit.config.js';
import { RedisConfig } from './platform/rate-limit/redis/redis.config.js';
import { TracingConfig } from './platform/tracing/tracing.config.js';

/** The settings of the platform. A module declares its own, in `settings`. */
export const SETTINGS: readonly Settings[] = [
  HttpConfig,
  DatabaseConfig,
  KeysConfig,
  LoggingConfig,
  MetricsConfig,
  TracingConfig,
  RateLimitConfig,
  RedisConfig,
];
