import { Injectable } from '@nestjs/common';
import { DataSource, type Repository } from 'typeorm';
import type { Int64 } from '../../kernel/json/int64.js';
import { queryPrepared } from '../../data/statements/run-named.js';
import { ApiKey } from './api-key.entity.js';

/** An automatic ban. Times are in Unix milliseconds. */
interface EarnedBan {
  readonly id: Int64;
  readonly endsAt: number;
  readonly level: number;
  readonly since: number;
}

type KeyColumns = Pick<
  ApiKey,
  | 'id'
  | 'name'
  | 'plan'
  | 'perMinute'
  | 'perDay'
  | 'scopes'
  | 'lastUsedAt'
  | 'banEndsAt'
  | 'banLevel'
  | 'banLiftedAt'
>;
/** What requests need to know of their key. */
type KeyOfRequest = KeyColumns & Pick<ApiKey, 'limits'>;

interface FoundRow extends KeyColumns {
  /** Of the secret that was sent. */
  readonly endsAt: Date | null;
}

/** Prepared, because it runs every 10 s for each key in use. */
const FIND_BY_HASH = `
  SELECT id, name, plan, per_minute AS "perMinute", per_day AS "perDay", scopes, last_used_at AS "lastUsedAt",
         ban_ends_at AS "banEndsAt", ban_level AS "banLevel", forgiven_at AS "banLiftedAt",
         CASE WHEN hash = $1 THEN expires_at ELSE least(previous_ends_at, expires_at) END AS "endsAt"
  FROM api_keys WHERE (hash = $1 OR previous_hash = $1) AND revoked_at IS NULL`;

/** Database access for requests. See `ApiKeysService` for administration. */
@Injectable()
export class ApiKeysRepository {
  private readonly keys: Repository<ApiKey>;

  constructor(dataSource: DataSource) {
    this.keys = dataSource.getRepository(ApiKey);
  }

  /**
   * Records automatic bans, except those that end before a recorded ban or were lifted meanwhile. The
   * recorded level, less one for each clean day since, counts if it is higher, because this process may not
   * have known it. Automatic bans are not recorded in the history, because clients could make it grow without
   * limit.
   */
  async recordBans(bans: readonly EarnedBan[]): Promise<void> {
    await this.keys.query(
      `WITH earned AS (SELECT id, to_timestamp(ends / 1000) AS ends_at, level, to_timestamp(since / 1000) AS since
                         FROM unnest($1::bigint[], $2::float8[], $3::smallint[], $4::float8[]) AS u (id, ends, level, since)),
            due AS (SELECT id, ends_at, greatest(level, ban_level - greatest(0, extract(day FROM since - ban_ends_at))) AS level
                      FROM api_keys JOIN earned USING (id)
                     WHERE (ban_ends_at IS NULL OR ban_ends_at < ends_at) AND (forgiven_at IS NULL OR forgiven_at < since)
                     ORDER BY id FOR NO KEY UPDATE OF api_keys) -- ordered, so that processes cannot deadlock
       UPDATE api_keys SET ban_ends_at = due.ends_at, ban_level = due.level
         FROM due WHERE api_keys.id = due.id`,
      [
        bans.map(({ id }) => id),
        bans.map(({ endsAt }) => endsAt),
        bans.map(({ level }) => level),
        bans.map(({ since }) => since),
      ],
    );
  }

  /**
   * Finds a key by the hash of its current or previous secret, and when that secret ends; `null` if none, or
   * if revoked.
   */
  async findByHash(hash: string): Promise<{ key: KeyOfRequest; endsAt: Date | null } | null> {
    const sent = Buffer.from(hash, 'hex');
    const [row] = await queryPrepared<FoundRow>(this.keys.manager, FIND_BY_HASH, [sent]);
    if (!row) return null;
    const { endsAt, ...columns } = row;
    return { key: Object.assign(new ApiKey(), columns), endsAt };
  }

  /**
   * Records when keys were last used, at most once a minute per key across all processes.
   * @param times Unix milliseconds
   */
  async recordUse(times: readonly (readonly [id: Int64, time: number])[]): Promise<void> {
    await this.keys.query(
      `WITH used AS (SELECT id, to_timestamp(ms / 1000) AS time FROM unnest($1::bigint[], $2::float8[]) AS u (id, ms)),
            due AS (SELECT id, time FROM api_keys JOIN used USING (id)
                     WHERE last_used_at IS NULL OR last_used_at <= time - interval '1 minute'
                     ORDER BY id FOR NO KEY UPDATE OF api_keys) -- ordered, so that processes cannot deadlock
       UPDATE api_keys SET last_used_at = due.time FROM due WHERE api_keys.id = due.id`,
      [times.map(([id]) => id), times.map(([, time]) => time)],
    );
  }
}
