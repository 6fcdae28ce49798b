import { type CheckResult, warn } from '../../../kernel/config/check-result.js';
import { QUERY_TIMEOUT } from '../pool/service-client.js';
import type { DatabaseCheck } from './database-check.js';

const LIMIT = `SELECT setting::integer AS milliseconds FROM pg_settings WHERE name = 'statement_timeout'`;

/** Each connection sets its `statement_timeout`, which a pooler may drop. Then that of its role, or none, holds. */
export const checkTimeLimits: DatabaseCheck = async ({ query }): Promise<readonly CheckResult[]> => {
  const [{ milliseconds } = { milliseconds: 0 }] = await query<{ milliseconds: number }>(LIMIT);
  if (milliseconds >= QUERY_TIMEOUT) return [];
  const finding =
    milliseconds === 0
      ? 'PostgreSQL does not end a statement that nobody waits for any more'
      : `PostgreSQL ends each statement after ${milliseconds / 1000} s`;
  const advice =
    'A pooler drops statement_timeout: set it in its connect_query, or on the role, as docs/running.md, "PgBouncer", says.';
  return [warn('database', finding, advice)];
};
