import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { minutes, seconds } from '../../clock/duration.js';
import { PeriodicTasks } from '../../clock/periodic-tasks.js';
import { WebhookMetrics } from '../webhook.metrics.js';
import { IS_ACTIVE } from '../webhook-sql.js';

const MEASURE_EVERY = seconds(10);
const CLEAR_EVERY = minutes(10);
const BATCH = 1_000;
/** Measures the backlog of webhooks and deletes old deliveries. Also runs in processes that do not deliver. */
@Injectable()
export class WebhookHousekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(
      `Could not measure the webhook backlog or delete old deliveries; retrying at the next run: ${String(error)}`,
    );
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: WebhookMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.add(MEASURE_EVERY, () => this.measure());
    this.tasks.add(CLEAR_EVERY, () => this.clear());
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  async measure(): Promise<void> {
    const [backlog] = await this.dataSource.query<{ seconds: number }[]>(BACKLOG);
    this.metrics.backlog(backlog?.seconds ?? 0);
  }

  /** Deletes deliveries after 30 days, and those of deleted webhooks, in short statements. */
  async clear(): Promise<void> {
    while ((await this.deleted(CLEAR_OLD)) === BATCH);
    while ((await this.deleted(CLEAR_DELETED)) === BATCH);
    await this.dataSource.query(CLEAR_WEBHOOKS);
  }

  private async deleted(sql: string): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(sql, [BATCH]);
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
