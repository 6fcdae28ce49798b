import { KeysConfig } from './platform/access/keys/keys.config.js';
import { DatabaseConfig } from './platform/data/database/database.config.js';
import { HttpConfig } from './platform/http/core/http.config.js';
import type { Settings } from './platform/kernel/config/config.js';
import { LoggingConfig } from './platform/observe/logging/logging.config.js';
import { MetricsConfig } from './platform/observe/metrics/metrics.config.js';
import { RateLimitConfig } from './platform/access/rate-limit/rate-limit.config.js';
import { RedisConfig } from './platform/access/rate-limit/redis/redis.config.js';
import { TracingConfig } from './platform/observe/tracing/tracing.config.js';

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
