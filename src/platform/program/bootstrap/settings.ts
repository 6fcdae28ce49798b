import { KeysConfig } from '../../access/keys/keys.config.js';
import { DatabaseConfig } from '../../data/database/database.config.js';
import { HttpConfig } from '../../http/core/http.config.js';
import type { Settings } from '../../kernel/config/config.js';
import { LoggingConfig } from '../../observe/logging/logging.config.js';
import { MetricsConfig } from '../../observe/metrics/metrics.config.js';
import { RateLimitConfig } from '../../access/rate-limit/rate-limit.config.js';
import { RedisConfig } from '../../access/rate-limit/redis/redis.config.js';
import { TracingConfig } from '../../observe/tracing/tracing.config.js';

/** The settings of the platform. A module declares its own, in `settings`. */
export const PLATFORM_SETTINGS: readonly Settings[] = [
  HttpConfig,
  DatabaseConfig,
  KeysConfig,
  LoggingConfig,
  MetricsConfig,
  TracingConfig,
  RateLimitConfig,
  RedisConfig,
];
