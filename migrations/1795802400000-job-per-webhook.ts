import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A job now sends everything that is due for a webhook. Before, it was a single delivery. */
export class JobPerWebhook1795802400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `SELECT graphile_worker.remove_job(key) FROM graphile_worker.jobs WHERE task_identifier = 'deliver webhook'`,
    );
    await runner.query(`
      SELECT graphile_worker.add_jobs(array_agg((
        'deliver to webhook', json_build_object('webhookId', webhook_id::text), 'webhook ' || webhook_id,
        next_attempt_at, NULL, 'webhook ' || webhook_id, NULL, NULL)::graphile_worker.job_spec))
      FROM (SELECT webhook_id, min(next_attempt_at) AS next_attempt_at
            FROM webhook_deliveries WHERE state = 'pending' GROUP BY webhook_id) AS next
      HAVING count(*) > 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `SELECT graphile_worker.remove_job(key) FROM graphile_worker.jobs WHERE task_identifier = 'deliver to webhook'`,
    );
    await runner.query(`
      SELECT graphile_worker.add_jobs(array_agg((
        'deliver webhook', json_build_object('deliveryId', id::text),
        'webhook ' || webhook_id || ' ' || coalesce(event_id, id) % 8,
        next_attempt_at, NULL, 'delivery ' || id, NULL, NULL)::graphile_worker.job_spec))
      FROM webhook_deliveries WHERE state = 'pending' HAVING count(*) > 0`);
  }
}
