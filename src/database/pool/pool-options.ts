import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import { connectionOptions } from './connection-options.js';
import { CircuitBreakerPool } from './circuit-breaker.pool.js';

const POOL_SIZE = 10;

/** The connections of the service, which its requests share. */
export function poolOptions(url: string): PostgresDataSourceOptions {
  const options = connectionOptions(url);
  return {
    ...options,
    poolSize: POOL_SIZE,
    driver: { Pool: CircuitBreakerPool },
  };
}
