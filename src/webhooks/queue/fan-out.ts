import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { addJob, isActive } from '../statements.js';
import { WorkerConnections } from '../delivery/worker-connections.js';

/** Deliveries of one transaction, so that its statement takes much less than the timeout. */
const BATCH = 2_000;

/**
 * Makes deliveries of the events in the feed, with a cursor of its own, like any other reader: a delivery for each webhook
 * that selects the event, and a job for each webhook, in one transaction.
 */
@Injectable()
export class FanOut {
  constructor(
    private readonly connections: WorkerConnections,
    private readonly clock: Clock,
  ) {}

  /** Until the newest event is reached. */
  async run(): Promise<void> {
    while ((await this.batch()) > 0);
  }

  /** @returns how many events it has read */
  private async batch(): Promise<number> {
    const client = await this.connections.pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      // The lock comes first, in a statement of its own: the next one reads on from where the last process stopped.
      await client.query('SELECT FROM webhook_feed FOR UPDATE');
      const { rows } = await client.query<{ count: number }>(FAN_OUT, [BATCH, new Date(this.clock.now())]);
      await client.query('COMMIT');
      client.release();
      return rows[0]?.count ?? 0;
    } catch (error) {
      client.release(true); // which rolls back
      throw error;
    }
  }
}

/** Events before the first webhook are skipped. An endpoint that fails keeps the time of its next turn. */
const FAN_OUT = `
  WITH listening AS MATERIALIZED (
    SELECT id, types, after_event_id, failing_since IS NOT NULL AS is_failing
    FROM webhooks WHERE ${isActive('$2')}
  ), batch AS MATERIALIZED (
    SELECT events.id, type FROM events
    WHERE events.id > (SELECT greatest(last_event_id, (SELECT min(after_event_id) FROM listening)) FROM webhook_feed)
    ORDER BY events.id LIMIT greatest(1, $1 / greatest(1, (SELECT count(*) FROM listening)))
  ), added AS (
    INSERT INTO webhook_deliveries (webhook_id, event_id, type, state, next_attempt_at, created_at)
    SELECT listening.id, batch.id, batch.type, 'pending', $2, $2
    FROM batch JOIN listening ON batch.id > after_event_id AND (types = '{}' OR type = ANY (types))
    ORDER BY batch.id
    RETURNING webhook_id
  ), job AS (
    SELECT ${addJob('webhook_id', "job_key_mode => CASE WHEN is_failing THEN 'preserve_run_at' ELSE 'replace' END")}
    FROM (SELECT DISTINCT webhook_id, is_failing FROM added JOIN listening ON listening.id = webhook_id) AS told
  ), mark AS (
    UPDATE webhook_feed SET last_event_id = (SELECT max(id) FROM batch) WHERE EXISTS (SELECT FROM batch)
  )
  SELECT (SELECT count(*) FROM batch)::integer AS count, (SELECT count(*) FROM job) AS jobs`;
