import pg from 'pg';
import type { DataSource } from 'typeorm';
import { seconds } from '../../kernel/clock/duration.js';
import type { connectionOptions } from './pool/connection-options.js';
import { type ClientConfig, ServiceClient } from './pool/service-client.js';

/**
 * Longer than a check waits: on a machine with too much work, a connection that comes late serves the next
 * checks.
 */
const CONNECT_TIMEOUT = seconds(3);

/**
 * A connection of its own for health checks, so that requests that wait for the pool cannot make the process
 * look unready.
 */
export function openProbe({ options }: DataSource): pg.Pool {
  const { url, extra } = options as ReturnType<typeof connectionOptions>;
  const config: pg.PoolConfig & ClientConfig = {
    connectionString: url,
    currentUrl: extra.currentUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    max: 1,
    idleTimeoutMillis: seconds(30),
    allowExitOnIdle: true,
    // eslint-disable-next-line @typescript-eslint/no-misused-promises -- pg awaits it, unlike its types say
    onConnect: extra.onConnect,
  };
  const pool = new pg.Pool({ ...config, Client: ServiceClient });
  return pool.on('error', () => undefined); // a lost connection is replaced
}
