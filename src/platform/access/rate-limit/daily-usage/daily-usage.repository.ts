import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Int64 } from '../../../kernel/json/int64.js';

/** Requests of a key on one UTC day, in days since 1970-01-01. */
export interface DailyUsage {
  readonly keyId: Int64 | string;
  readonly day: number;
  readonly requests: number;
}

/** One table holds the totals of earlier days, the other the counts of each process for the last two days. */
const ALL = `(SELECT key_id, day, requests, NULL AS writer FROM api_key_usage
              UNION ALL SELECT key_id, day, requests, writer FROM api_key_usage_by_writer) AS usage`;
const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

/** Daily request counts of keys, in PostgreSQL. */
@Injectable()
export class DailyUsageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Records a process's counts. Repeating the statement or running it late changes nothing, because a
   * writer's counts only grow. Deleted keys are left out, and days of a key that are merged already: the total
   * does not tell what it has of this writer.
   */
  async record(writer: string, counts: readonly DailyUsage[]): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO api_key_usage_by_writer AS usage (key_id, day, writer, requests)
       SELECT key_id, DATE '1970-01-01' + day, $1, requests
         FROM unnest($2::bigint[], $3::integer[], $4::bigint[]) AS counted (key_id, day, requests)
         JOIN api_keys ON api_keys.id = key_id
        WHERE NOT EXISTS (SELECT FROM api_key_usage AS merged
                           WHERE merged.key_id = counted.key_id AND merged.day = DATE '1970-01-01' + counted.day)
       ON CONFLICT (key_id, day, writer) DO UPDATE SET requests = greatest(usage.requests, excluded.requests)`,
      [
        writer,
        counts.map(({ keyId }) => keyId),
        counts.map(({ day }) => day),
        counts.map(({ requests }) => requests),
      ],
    );
  }

  /** The recorded counts of other writers for one day. Keys without requests are left out. */
  async sumOfOthers(
    writer: string,
    day: number,
    keyIds: readonly DailyUsage['keyId'][],
  ): Promise<Omit<DailyUsage, 'day'>[]> {
    return this.dataSource.query(
      `SELECT key_id AS "keyId", sum(requests)::bigint AS requests FROM ${ALL}
       WHERE key_id = ANY($3::bigint[]) AND day = DATE '1970-01-01' + $2::integer AND writer IS DISTINCT FROM $1
       GROUP BY key_id`,
      [writer, day, keyIds],
    );
  }

  /** Adds up the counts of days that no process counts any more. */
  async merge(): Promise<void> {
    await this.dataSource.query(
      `WITH ended AS (DELETE FROM api_key_usage_by_writer WHERE day < ${TODAY} - 1 RETURNING key_id, day, requests)
       INSERT INTO api_key_usage AS usage (key_id, day, requests)
       SELECT key_id, day, sum(requests) FROM ended GROUP BY key_id, day ORDER BY key_id, day
       ON CONFLICT (key_id, day) DO UPDATE SET requests = usage.requests + excluded.requests`,
    );
  }

  /**
   * Requests of a key on each of the last days, including today, newest first. Days without requests are left
   * out.
   */
  history(keyId: Int64, days: number): Promise<{ day: string; requests: number }[]> {
    return this.dataSource.query(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(requests)::bigint AS requests FROM ${ALL}
       WHERE key_id = $1 AND day > ${TODAY} - $2::integer AND requests > 0 GROUP BY usage.day ORDER BY usage.day DESC`,
      [keyId, days],
    );
  }
}
