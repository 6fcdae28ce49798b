import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { minutes, seconds } from '../../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../../kernel/clock/periodic-tasks.js';
import { inBatches } from '../../../data/database/in-batches.js';
import { queryPrepared } from '../../../data/statements/run-named.js';
import { WebhookMetrics } from '../webhook.metrics.js';
import { IS_ACTIVE } from '../webhook-sql.js';

const MEASURE_EVERY = seconds(10);
const CLEAR_EVERY = minutes(10);

/**
 * Measures the backlog of webhooks and deletes old deliveries. Also runs in processes that do not deliver.
 */
@Injectable()
export class WebhookHousekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks = PeriodicTasks.warning(
    'Webhooks',
    'measure the webhook backlog or delete old deliveries',
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: WebhookMetrics,
  ) {}

  onApplicationBootstrap(): void {
    const measureWebhookBacklog = () => this.measure();
    const clearDeliveries = () => this.clear();
    this.tasks.add(MEASURE_EVERY, measureWebhookBacklog);
    this.tasks.add(CLEAR_EVERY, clearDeliveries);
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  async measure(): Promise<void> {
    const [backlog] = await queryPrepared<{ seconds: number }>(this.dataSource.manager, BACKLOG, []);
    this.metrics.backlog(backlog?.seconds ?? 0);
  }

  /** Deletes deliveries after 30 days, and those of deleted webhooks, in short statements. */
  async clear(): Promise<void> {
    for (const sql of [CLEAR_OLD, CLEAR_DELETED]) await inBatches((limit) => this.deleted(sql, limit));
    await this.dataSource.query(CLEAR_WEBHOOKS);
  }

  private async deleted(sql: string, limit: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(sql, [limit]);
    return count;
  }
}

/** Includes events that have no deliveries yet; excludes endpoints that fail or have asked for a pause. */
const BACKLOG = `
  WITH active AS (
    SELECT id, after_event_id,
           failing_since IS NOT NULL OR (busy_by IS NULL AND busy_until > now()) IS TRUE AS is_paused
    FROM webhooks WHERE ${IS_ACTIVE}
  )
  SELECT greatest(0, extract(epoch FROM now() - least(
    (SELECT min(due) FROM active CROSS JOIN LATERAL (
       SELECT min(next_attempt_at) AS due FROM webhook_deliveries
       WHERE webhook_id = active.id AND state = 'pending') AS next
     WHERE NOT is_paused),
    (SELECT occurred_at FROM events
     WHERE id > (SELECT greatest(last_event_id, (SELECT min(after_event_id) FROM active)) FROM webhook_feed)
       AND EXISTS (SELECT FROM active)
     ORDER BY id LIMIT 1))))::float8 AS seconds`;

const CLEAR_OLD = `
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)) AND created_at < now() - interval '30 days'`;

const CLEAR_DELETED = `
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries
    WHERE webhook_id IN (SELECT id FROM webhooks WHERE deleted_at IS NOT NULL)
    LIMIT $1 FOR UPDATE SKIP LOCKED))`;

const CLEAR_WEBHOOKS = `
  DELETE FROM webhooks WHERE deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM webhook_deliveries WHERE webhook_id = webhooks.id)`;
