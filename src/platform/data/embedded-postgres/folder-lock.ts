import type pg from 'pg';
import { type ServerAddress, connect } from './connection.js';
import { errorCodeOf } from '../../kernel/errors/error-code.js';

/** Advisory locks. The numbers are arbitrary, but the same in every version of the service. */
const EXCLUSIVE = 7_387_001;
const SHARED = 7_387_002;
/** After a service is killed, the server needs some milliseconds to release its lock. */
const PATIENCE_MS = 500;

/**
 * A process's claim to a data folder: a session-level advisory lock, which the server releases however the
 * process ends. A service holds an exclusive lock, and commands a shared one.
 */
export class FolderLock {
  /** False once the connection, and with it the lock, is lost. */
  held = true;

  private constructor(readonly session: pg.Client) {
    session.once('end', () => (this.held = false));
  }

  /** Resolves to undefined while another process holds the exclusive lock. */
  static async exclusive(address: ServerAddress): Promise<FolderLock | undefined> {
    try {
      return await FolderLock.take(
        address,
        `BEGIN; SET LOCAL lock_timeout = ${PATIENCE_MS}; SELECT pg_advisory_lock(${EXCLUSIVE}); COMMIT`,
      );
    } catch (error) {
      if (errorCodeOf(error) === '55P03') return undefined; // lock_not_available
      throw error;
    }
  }

  /** Waits while the last command stops the server, and then rejects. */
  static shared(address: ServerAddress): Promise<FolderLock> {
    return FolderLock.take(address, `SELECT pg_advisory_lock_shared(${SHARED})`);
  }

  private static async take(address: ServerAddress, sql: string): Promise<FolderLock> {
    const session = await connect(address);
    try {
      await session.query(sql);
      return new FolderLock(session);
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  /**
   * Ends a shared lock. Resolves to true if nobody else uses the server, which nobody can then enter until
   * `release()`.
   */
  async leave(): Promise<boolean> {
    try {
      await this.session.query(`SELECT pg_advisory_unlock_shared(${SHARED})`);
      // In this order: a command that is not the last one must not hold the exclusive lock, which the last
      // one needs.
      const { rows } = await this.session.query<{ last: boolean }>(
        `SELECT CASE WHEN pg_try_advisory_lock(${SHARED}) THEN pg_try_advisory_lock(${EXCLUSIVE}) ELSE false END AS last`,
      );
      return rows[0]?.last ?? false;
    } catch {
      return false; // the last command has stopped the server
    }
  }

  async release(): Promise<void> {
    if (this.held) await this.session.end();
  }
}

/** The application name of the holder of the exclusive lock, such as `petstore pid 123` of the pet store. */
export async function holderName(address: ServerAddress): Promise<string> {
  const client = await connect(address);
  try {
    const { rows } = await client.query<{ application_name: string }>(
      `SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid)
        WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1`,
      [EXCLUSIVE],
    );
    return rows[0]?.application_name ?? 'which has just ended';
  } finally {
    await client.end();
  }
}
