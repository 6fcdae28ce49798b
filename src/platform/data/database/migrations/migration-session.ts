import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { DataSource } from 'typeorm';
import { seconds } from '../../../kernel/clock/duration.js';
import { errorCodeOf } from '../../../kernel/errors/error-code.js';
import type { Say } from './migration-lock.js';

/** A statement that waits for a lock lets all later ones of its table wait behind it. */
const LOCK_TIMEOUT = seconds(1);
/** In between, what has waited is served. */
const TRY_AGAIN = seconds(2);
const SAY_AGAIN = seconds(10);
/** SQLSTATE of a lock that was not available in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Limits that a role, a database or a pooler may set. None of them is for a session that migrates: a
 * statement may take long, and the session that holds the lock idles meanwhile. Set by a statement, because
 * PgBouncer drops start-up parameters.
 */
const WITHOUT_LIMITS = `
  SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout',
    'idle_session_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

export async function endLimits(client: pg.ClientBase): Promise<void> {
  await client.query(WITHOUT_LIMITS);
}

/**
 * Lets each migration wait for a lock for 1 s only. One without a transaction builds indexes concurrently,
 * for which nobody waits.
 */
export function limitLocks({ migrations }: DataSource): void {
  for (const migration of migrations) {
    if (migration.transaction === false) continue;
    for (const direction of ['up', 'down'] as const) {
      const run = migration[direction].bind(migration);
      migration[direction] = async (runner) => {
        await runner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`);
        await run(runner);
      };
    }
  }
}

const OLDEST = `
  SELECT pid, extract(epoch FROM now() - xact_start)::integer AS age FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
  ORDER BY xact_start LIMIT 1`;

/**
 * Repeats work that could not get a lock in time; finished migrations are kept. Says so every 10 s, with the
 * oldest transaction.
 */
export async function untilLocked<T>(dataSource: DataSource, say: Say, work: () => Promise<T>): Promise<T> {
  let saidAt = -Infinity;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (errorCodeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (performance.now() - saidAt >= SAY_AGAIN) {
        saidAt = performance.now();
        say(await whatBlocks(dataSource));
      }
      await delay(TRY_AGAIN);
    }
  }
}

async function whatBlocks(dataSource: DataSource): Promise<string> {
  const [oldest] = await dataSource.query<{ pid: number; age: number }[]>(OLDEST);
  const who = oldest ? `: the oldest transaction is that of backend ${oldest.pid}, ${oldest.age} s old` : '';
  return `A migration waits for a lock of another session, and tries again every 3 s${who}.`;
}
