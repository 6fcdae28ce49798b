import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ServiceUnavailable } from '../../../kernel/errors/common.errors.js';
import { HAS_EVENTS } from '../../events/event-sequencer.js';
import { IS_ACTIVE } from '../webhook-sql.js';

/** SQL: whether events wait for a webhook, in the feed or to get there. */
export const HAS_EVENTS_TO_READ = `
  EXISTS (SELECT FROM webhooks WHERE state = 'enabled' AND deleted_at IS NULL)
  AND (${HAS_EVENTS} OR (SELECT last_id FROM event_feed) > (SELECT last_event_id FROM webhook_feed))`;

/** Limits how long one change waits for a backlog. */
const MAX_BATCHES = 5;

/** Maximum deliveries per transaction, which keeps its statement well below the timeout. */
const BATCH = 2_000;

/**
 * Reads the event feed from its own cursor and creates a delivery for each webhook that selects the event.
 */
@Injectable()
export class FanOut {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs until the newest event is reached. @returns how many events it read */
  async run(): Promise<number> {
    let all = 0;
    for (let count = 1; count > 0; all += count) count = await this.batch();
    return all;
  }

  /**
   * Changes which events a webhook selects: those of the feed before the change have their deliveries by then.
   * @param work must not have locked a webhook before: a batch that has the lock of the feed waits for it. It
   *   waits at most a second for a webhook, because all others wait for the feed meanwhile
   * @throws ServiceUnavailable if many events wait for a worker. Each call takes some of them
   */
  async beforeChange<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    for (let batches = 1; (await this.batch()) > 0; batches++)
      if (batches === MAX_BATCHES) throw new ServiceUnavailable();
    return this.dataSource.transaction('READ COMMITTED', async (manager) => {
      await manager.query(`SET LOCAL lock_timeout = '1s'`);
      await batchIn(manager); // of the last moment
      return work(manager);
    });
  }

  private batch(): Promise<number> {
    return this.dataSource.transaction('READ COMMITTED', batchIn);
  }
}

/** @returns how many events it read. The lock lasts to the end of the transaction */
async function batchIn(manager: EntityManager): Promise<number> {
  // Take the lock in a separate statement, so the next one sees where the last process stopped.
  await manager.query('SELECT FROM webhook_feed FOR UPDATE');
  const [row] = await manager.query<{ count: number }[]>(FAN_OUT, [BATCH]);
  return row?.count ?? 0;
}

/** Skips events before the first webhook, and all of them while no webhook listens. */
const FAN_OUT = `
  WITH listening AS MATERIALIZED (
    SELECT id, types, after_event_id FROM webhooks WHERE ${IS_ACTIVE}
  ), batch AS MATERIALIZED (
    SELECT events.id, type FROM events
    WHERE events.id > (SELECT greatest(last_event_id, (SELECT min(after_event_id) FROM listening)) FROM webhook_feed)
      AND EXISTS (SELECT FROM listening)
    ORDER BY events.id LIMIT greatest(1, $1 / greatest(1, (SELECT count(*) FROM listening)))
  ), added AS (
    INSERT INTO webhook_deliveries (webhook_id, event_id, type, state, next_attempt_at)
    SELECT listening.id, batch.id, batch.type, 'pending', now()
    FROM batch JOIN listening ON batch.id > after_event_id AND (types = '{}' OR type = ANY (types))
    ORDER BY batch.id
  ), mark AS (
    UPDATE webhook_feed SET last_event_id = read_to
    FROM (SELECT coalesce((SELECT max(id) FROM batch), last_id) AS read_to FROM event_feed) AS feed
    WHERE read_to > last_event_id
  )
  SELECT count(*)::integer AS count FROM batch`;
