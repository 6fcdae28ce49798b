import type pg from 'pg';
import { type Address, connect } from './connection.js';
import { codeOf } from './embedded-postgres.error.js';

/** Advisory locks. The numbers are arbitrary, but the same in every version of the service. */
const OWNER = 7_387_001;
const VISITORS = 7_387_002;
/** After an owner is killed, the server needs some milliseconds to release its lock. */
const PATIENCE_MS = 500;

/**
 * A process's claim to a data folder: a session-level advisory lock, which the server releases however the process
 * ends. The owner holds its lock alone, and visitors share theirs.
 */
export class FolderLock {
  /** False once the connection, and with it the lock, is lost. */
  held = true;

  private constructor(readonly session: pg.Client) {
    session.once('end', () => (this.held = false));
  }

  /** Resolves to undefined while another process is the owner. */
  static async own(address: Address): Promise<FolderLock | undefined> {
    try {
      return await FolderLock.take(
        address,
        `BEGIN; SET LOCAL lock_timeout = ${PATIENCE_MS}; SELECT pg_advisory_lock(${OWNER}); COMMIT`,
      );
    } catch (error) {
      if (codeOf(error) === '55P03') return undefined; // lock_not_available
      throw error;
    }
  }

  /** Waits while the last visitor stops the server, and then rejects. */
  static visit(address: Address): Promise<FolderLock> {
    return FolderLock.take(address, `SELECT pg_advisory_lock_shared(${VISITORS})`);
  }

  private static async take(address: Address, sql: string): Promise<FolderLock> {
    const session = await connect(address);
    try {
      await session.query(sql);
      return new FolderLock(session);
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  /** Ends a visit. Resolves to true if nobody else uses the server, which nobody can then enter until `release()`. */
  async leave(): Promise<boolean> {
    try {
      await this.session.query(`SELECT pg_advisory_unlock_shared(${VISITORS})`);
      // In this order: a visitor that is not the last one must not hold the owner's lock, which the last one needs.
      const { rows } = await this.session.query<{ last: boolean }>(
        `SELECT CASE WHEN pg_try_advisory_lock(${VISITORS}) THEN pg_try_advisory_lock(${OWNER}) ELSE false END AS last`,
      );
      return rows[0]?.last ?? false;
    } catch {
      return false; // the last visitor has stopped the server
    }
  }

  async release(): Promise<void> {
    if (this.held) await this.session.end();
  }
}

/** The application name of the owner, for example `petstore pid 123`. */
export async function ownerName(address: Address): Promise<string> {
  const client = await connect(address);
  try {
    const { rows } = await client.query<{ application_name: string }>(
      `SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid)
        WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1`,
      [OWNER],
    );
    return rows[0]?.application_name ?? 'which has just ended';
  } finally {
    await client.end();
  }
}
