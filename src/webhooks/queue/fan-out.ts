import { Injectable } from '@nestjs/common';
import { WorkerConnections } from '../delivery/worker-connections.js';
import { addJobsOfNew, IS_ACTIVE } from '../webhook-sql.js';

/** Maximum deliveries per transaction, which keeps its statement well below the timeout. */
const BATCH = 2_000;

/** Reads the event feed from its own cursor and creates a delivery for each webhook that selects the event. */
@Injectable()
export class FanOut {
  constructor(private readonly connections: WorkerConnections) {}

  /** Runs until the newest event is reached. */
  async run(): Promise<void> {
    while ((await this.batch()) > 0);
  }

  /** @returns how many events it read */
  private async batch(): Promise<number> {
    const client = await this.connections.pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      // Take the lock in a separate statement, so the next one sees where the last process stopped.
      await client.query('SELECT FROM webhook_feed FOR UPDATE');
      const { rows } = await client.query<{ count: number }>(FAN_OUT, [BATCH]);
      await client.query('COMMIT');
      client.release();
      return rows[0]?.count ?? 0;
    } catch (error) {
      client.release(true); // rolls back
      throw error;
    }
  }
}

/** Skips events before the first webhook. */
const FAN_OUT = `
  WITH listening AS MATERIALIZED (
    SELECT id, types, after_event_id FROM webhooks WHERE ${IS_ACTIVE}
  ), batch AS MATERIALIZED (
    SELECT events.id, type FROM events
    WHERE events.id > (SELECT greatest(last_event_id, (SELECT min(after_event_id) FROM listening)) FROM webhook_feed)
    ORDER BY events.id LIMIT greatest(1, $1 / greatest(1, (SELECT count(*) FROM listening)))
  ), added AS (
    INSERT INTO webhook_deliveries (webhook_id, event_id, type, state, next_attempt_at)
    SELECT listening.id, batch.id, batch.type, 'pending', now()
    FROM batch JOIN listening ON batch.id > after_event_id AND (types = '{}' OR type = ANY (types))
    ORDER BY batch.id
    RETURNING webhook_id
  ), mark AS (
    UPDATE webhook_feed SET last_event_id = (SELECT max(id) FROM batch) WHERE EXISTS (SELECT FROM batch)
  )
  SELECT (SELECT count(*) FROM batch)::integer AS count, (${addJobsOfNew('added')}) AS jobs`;
