import type { DataSource } from 'typeorm';
import type { ClientId } from '../plan-throttler.storage.js';

/** Requests of a key on a UTC day, in days since 1970-01-01. */
export interface DailyUsage {
  readonly keyId: ClientId;
  readonly day: number;
  readonly requests: number;
}

/** A change with a number by which PostgreSQL counts it once, however often it is sent. */
export interface UsageChange extends DailyUsage {
  readonly sequence: number;
}

/** The day counts of keys in PostgreSQL. */
export class DailyUsageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Required once before a writer's first change. Deletes writers that have been silent for a month. */
  async register(writer: string): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO api_key_usage_writers (writer, sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING`,
      [writer],
    );
    await this.dataSource.query(
      `DELETE FROM api_key_usage_writers WHERE written_at < now() - interval '30 days'`,
    );
  }

  /**
   * Counts the changes that have not been counted before. Send it with every change whose outcome is not known: late and
   * repeated copies of the statement change nothing. A negative number gives back a reservation.
   * @returns the count of each key and day in the changes; none for a deleted key
   */
  async apply(writer: string, changes: readonly UsageChange[]): Promise<DailyUsage[]> {
    const last = Math.max(0, ...changes.map(({ sequence }) => sequence));
    return this.dataSource.query(
      `WITH writer AS (SELECT sequence FROM api_key_usage_writers WHERE writer = $1 FOR UPDATE),
            turn AS (UPDATE api_key_usage_writers SET sequence = greatest(sequence, $2), written_at = now() WHERE writer = $1),
            change AS (SELECT key_id, DATE '1970-01-01' + day AS day,
                              coalesce(sum(requests) FILTER (WHERE c.sequence > writer.sequence), 0) AS requests
                         FROM unnest($3::bigint[], $4::integer[], $5::bigint[], $6::bigint[]) AS c (key_id, day, requests, sequence)
                        CROSS JOIN writer JOIN api_keys ON api_keys.id = key_id
                        GROUP BY 1, 2 ORDER BY 1, 2) -- in one order, so that no two processes deadlock
       INSERT INTO api_key_usage AS usage (key_id, day, requests) SELECT key_id, day, requests FROM change
       ON CONFLICT (key_id, day) DO UPDATE SET requests = usage.requests + excluded.requests
       RETURNING key_id AS "keyId", day - DATE '1970-01-01' AS day, requests`,
      [
        writer,
        last,
        changes.map(({ keyId }) => keyId),
        changes.map(({ day }) => day),
        changes.map(({ requests }) => requests),
        changes.map(({ sequence }) => sequence),
      ],
    );
  }

  /** Requests of a key on each of the last days, today included, newest first, without days that have none. */
  history(keyId: ClientId, days: number): Promise<{ day: string; requests: number }[]> {
    return this.dataSource.query(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, requests FROM api_key_usage
       WHERE key_id = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::integer AND requests > 0 ORDER BY day DESC`,
      [keyId, days],
    );
  }
}
