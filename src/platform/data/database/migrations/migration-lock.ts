import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../../../kernel/clock/duration.js';

/** The id of the advisory lock. */
const LOCK = 7_305_310_417_042n;
const ASK_AGAIN = seconds(0.25);
const SAY_AGAIN = seconds(10);

/** Shows a sentence to the operator. */
export type Say = (line: string) => void;

type Query = (sql: string) => Promise<readonly object[]>;

interface Holder {
  readonly pid: number;
  readonly address: string | null;
  /** Seconds since it has connected. */
  readonly age: number;
}

/** A lock of a `bigint` is shown as two halves. */
const HOLDER = `
  SELECT pid, host(client_addr) AS address, extract(epoch FROM now() - backend_start)::integer AS age
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = ${LOCK >> 32n} AND objid = ${LOCK & 0xffff_ffffn}`;

/**
 * Takes the lock of the migrations for the session. Asks again and again, because a statement that waits for
 * a lock holds a snapshot, for which `CREATE INDEX CONCURRENTLY` of the lock's holder would wait too, which
 * PostgreSQL sees as no deadlock.
 * @param query runs a statement in a session that has no transaction open
 */
export async function takeLock(query: Query, say: Say): Promise<void> {
  let saidAt = -Infinity;
  while ((await query(`SELECT WHERE pg_try_advisory_lock(${LOCK})`)).length === 0) {
    if (performance.now() - saidAt >= SAY_AGAIN) {
      saidAt = performance.now();
      const [holder] = (await query(HOLDER)) as readonly Holder[];
      if (holder) say(waitingFor(holder));
    }
    await delay(ASK_AGAIN);
  }
}

function waitingFor({ pid, address, age }: Holder): string {
  const from = address === null ? '' : ` of ${address}`;
  return `Waiting for the migrations of another process: PostgreSQL's backend ${pid}${from}, connected for ${age} s.`;
}
