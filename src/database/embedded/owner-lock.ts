import type pg from 'pg';
import { type Address, connect } from './connection.js';
import { codeOf } from './embedded-postgres.error.js';

/** Any number will do, as long as every version of the service uses the same. */
const LOCK_KEY = 7_387_001;
/** A killed owner's lock is gone as soon as the server has noticed, which takes milliseconds. */
const PATIENCE_MS = 500;

/**
 * A service's claim to a data folder: a session-level advisory lock, which the server gives back by itself when the
 * service ends in whatever way.
 */
export class OwnerLock {
  #held = true;

  private constructor(private readonly client: pg.Client) {
    client.once('end', () => {
      this.#held = false;
    });
  }

  /** Resolves to undefined while another process holds it. */
  static async take(address: Address): Promise<OwnerLock | undefined> {
    const client = await connect(address);
    try {
      await client.query(`SET lock_timeout = ${PATIENCE_MS}`);
      await client.query('SELECT pg_advisory_lock($1::bigint)', [LOCK_KEY]);
      return new OwnerLock(client);
    } catch (error) {
      await client.end();
      if (codeOf(error) === '55P03') return undefined; // lock_not_available
      throw error;
    }
  }

  /** False once the connection is lost, and with it the lock. */
  get held(): boolean {
    return this.#held;
  }

  async release(): Promise<void> {
    await this.client.end();
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
