import type pg from 'pg';
import { type Address, connect } from './connection.js';
import { codeOf } from './embedded-postgres.error.js';

/** Arbitrary, but the same in every version of the service. */
const LOCK_KEY = 7_387_001;
/** After an owner is killed, the server needs some milliseconds to release its lock. */
const PATIENCE_MS = 500;

/**
 * A service's claim to a data folder: a session-level advisory lock, which the server releases however the service
 * ends.
 */
export class OwnerLock {
  /** False once the connection, and with it the lock, is lost. */
  held = true;

  private constructor(private readonly session: pg.Client) {
    session.once('end', () => (this.held = false));
  }

  /** Resolves to undefined while another process holds it. */
  static async take(address: Address): Promise<OwnerLock | undefined> {
    const session = await lockedSession(address);
    return session && new OwnerLock(session);
  }

  async release(): Promise<void> {
    if (this.held) await this.session.end();
  }
}

/** Returns a connection that holds the lock, or undefined if another connection holds it. */
async function lockedSession(address: Address): Promise<pg.Client | undefined> {
  const client = await connect(address);
  try {
    await client.query(`SET lock_timeout = ${PATIENCE_MS}`);
    await client.query('SELECT pg_advisory_lock($1::bigint)', [LOCK_KEY]);
    return client;
  } catch (error) {
    await client.end();
    if (codeOf(error) === '55P03') return undefined; // lock_not_available
    throw error;
  }
}

/** The application name of the lock's holder, for example `petstore pid 123`. */
export async function ownerName(address: Address): Promise<string> {
  const client = await connect(address);
  try {
    const { rows } = await client.query<{ application_name: string }>(
      `SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid)
        WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1`,
      [LOCK_KEY],
    );
    return rows[0]?.application_name ?? 'which has just ended';
  } finally {
    await client.end();
  }
}
