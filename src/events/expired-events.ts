import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../kernel/clock/clock.js';
import { days } from '../kernel/clock/duration.js';

export const KEPT_FOR = days(30);
const BATCH = 1_000;

/** Clears events that are older than the feed keeps them, from its beginning, in short transactions. */
@Injectable()
export class ExpiredEvents {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async clear(): Promise<void> {
    while ((await this.clearBatch()) === BATCH);
  }

  /** `cleared_to` tells readers with an older cursor what they have missed. @returns how many events it deleted */
  private async clearBatch(): Promise<number> {
    const [batch] = await this.dataSource.query<{ count: number }[]>(
      `WITH cleared AS (
         DELETE FROM events WHERE id = ANY (ARRAY(SELECT id FROM events ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))
           AND occurred_at < $1
         RETURNING id
       ), mark AS (
         UPDATE event_feed SET cleared_to = greatest(cleared_to, (SELECT max(id) FROM cleared))
         WHERE EXISTS (SELECT FROM cleared)
       )
       SELECT count(*)::integer AS count FROM cleared`,
      [new Date(this.clock.now() - KEPT_FOR), BATCH],
    );
    return batch?.count ?? 0;
  }
}
