import type { DataSource } from 'typeorm';
import type { SubjectId } from './quota-engine.js';

/** The day counts of keys in PostgreSQL, where they outlive the process. A day is a number since 1970-01-01. */
export class DayLedger {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds to a key's count of a day, 0 to read it only. @returns the count after that */
  async add(keyId: SubjectId, day: number, requests: number): Promise<number> {
    const [row] = await this.dataSource.query<{ requests: number }[]>(
      `INSERT INTO api_key_usage AS usage (key_id, day, requests) VALUES ($1, DATE '1970-01-01' + $2::integer, $3)
       ON CONFLICT (key_id, day) DO UPDATE SET requests = usage.requests + excluded.requests
       RETURNING requests`,
      [keyId, day, requests],
    );
    return Number(row?.requests);
  }

  /** Adds to many keys' counts of a day at once; a negative number gives back what was reserved and not used. */
  async addAll(
    day: number,
    changes: readonly (readonly [keyId: SubjectId, requests: number])[],
  ): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO api_key_usage AS usage (key_id, day, requests)
       SELECT key_id, DATE '1970-01-01' + $1::integer, requests FROM unnest($2::bigint[], $3::bigint[]) AS c (key_id, requests)
       ON CONFLICT (key_id, day) DO UPDATE SET requests = usage.requests + excluded.requests`,
      [day, changes.map(([keyId]) => keyId), changes.map(([, requests]) => requests)],
    );
  }

  /** A key's requests of each of the last days, today included, newest first; days without any are left out. */
  history(keyId: SubjectId, days: number): Promise<{ day: string; requests: number }[]> {
    return this.dataSource.query(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, requests FROM api_key_usage
       WHERE key_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::integer AND requests > 0 ORDER BY day DESC`,
      [keyId, days],
    );
  }
}
