import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { days, minutes, seconds } from '../../kernel/clock/duration.js';
import { PeriodicTasks } from '../../kernel/clock/periodic-tasks.js';
import { addJob, isActive } from '../statements.js';
import { WebhookMetrics } from '../webhook.metrics.js';

const LOOK_EVERY = seconds(10);
const CLEAR_EVERY = minutes(10);
const KEPT_FOR = days(30);
const BATCH = 1_000;
/** A delivery without a turn and a job for so long has lost its job with a process. */
const LATE = seconds(15);

/** Measures the backlog of webhooks and deletes old deliveries, also in a process that does not deliver. */
@Injectable()
export class WebhookHousekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly tasks = new PeriodicTasks((error) => {
    this.logger.warn(
      `The backlog of webhooks was not measured, or old deliveries were not deleted; the next run tries again: ${String(error)}`,
    );
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: WebhookMetrics,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.add(LOOK_EVERY, () => this.look());
    this.tasks.add(CLEAR_EVERY, () => this.clear());
  }

  beforeApplicationShutdown(): void {
    void this.tasks.stop();
  }

  /** Measures how late deliveries are, and adds the jobs again that a dead process has lost. */
  async look(): Promise<void> {
    const now = this.clock.now();
    const [backlog] = await this.dataSource.query<{ seconds: number }[]>(BACKLOG, [new Date(now)]);
    this.metrics.backlog(backlog?.seconds ?? 0);
    await this.dataSource.query(RESCUE, [new Date(now), new Date(now - LATE)]);
  }

  /** Deletes deliveries after 30 days, and those of deleted webhooks, in short statements. */
  async clear(): Promise<void> {
    const old = new Date(this.clock.now() - KEPT_FOR);
    while ((await this.deleted(CLEAR_OLD, [BATCH, old])) === BATCH);
    while ((await this.deleted(CLEAR_DELETED, [BATCH])) === BATCH);
    await this.dataSource.query(CLEAR_WEBHOOKS);
  }

  private async deleted(sql: string, values: unknown[]): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(sql, values);
    return count;
  }
}

/** Webhooks to which deliveries are sent. `$1` is now. */
const ACTIVE = `
  active AS (
    SELECT id, failing_since, delivering_until, after_event_id
    FROM webhooks WHERE ${isActive('$1')})`;

/** Of endpoints that do not fail, and of events that have no deliveries yet. */
const BACKLOG = `
  WITH ${ACTIVE}
  SELECT greatest(0, extract(epoch FROM $1 - least(
    (SELECT min(due) FROM active CROSS JOIN LATERAL (
       SELECT min(next_attempt_at) AS due FROM webhook_deliveries
       WHERE webhook_id = active.id AND state = 'pending') AS next
     WHERE failing_since IS NULL),
    (SELECT occurred_at FROM events
     WHERE id > (SELECT greatest(last_event_id, (SELECT min(after_event_id) FROM active)) FROM webhook_feed)
       AND EXISTS (SELECT FROM active)
     ORDER BY id LIMIT 1))))::float8 AS seconds`;

/** A job that is there keeps its time. */
const RESCUE = `
  WITH ${ACTIVE}
  SELECT ${addJob('id', "job_key_mode => 'preserve_run_at'")}
  FROM active
  WHERE (delivering_until IS NULL OR delivering_until < now())
    AND EXISTS (SELECT FROM webhook_deliveries
                WHERE webhook_id = active.id AND state = 'pending' AND next_attempt_at < $2)`;

const CLEAR_OLD = `
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)) AND created_at < $2`;

const CLEAR_DELETED = `
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries
    WHERE webhook_id IN (SELECT id FROM webhooks WHERE deleted_at IS NOT NULL)
    LIMIT $1 FOR UPDATE SKIP LOCKED))`;

const CLEAR_WEBHOOKS = `
  DELETE FROM webhooks WHERE deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM webhook_deliveries WHERE webhook_id = webhooks.id)`;
