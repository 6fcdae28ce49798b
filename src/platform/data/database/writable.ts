import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../../kernel/clock/duration.js';
import { withConnection } from './connect-once.js';

/** How long a start waits for a failover to end, in which the server that responds may be read-only. */
const WAIT = seconds(30);
const ASK_AGAIN = seconds(1);

/** A standby, `default_transaction_read_only` of the server, the database or the role: `on` for each of them. */
export const IS_READ_ONLY = `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

/**
 * Waits until PostgreSQL takes writes; a check refuses what is read-only then.
 * @param say called once if it has to wait
 * @param wait milliseconds
 */
export async function waitUntilWritable(
  url: string,
  say: (line: string) => void,
  wait = WAIT,
): Promise<void> {
  const isReadOnly = () =>
    withConnection(
      url,
      async (client) =>
        (await client.query<{ isReadOnly: boolean }>(IS_READ_ONLY)).rows[0]?.isReadOnly === true,
    );
  if (!(await isReadOnly())) return;
  say(`PostgreSQL is read-only. Waiting up to ${wait / 1000} s until it takes writes…`);
  const until = performance.now() + wait;
  do await delay(ASK_AGAIN);
  while (performance.now() < until && (await isReadOnly()));
}
