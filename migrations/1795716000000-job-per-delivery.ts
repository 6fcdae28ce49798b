import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A job now represents a delivery. Before, it represented a webhook's turn, which a process took for a while. */
export class JobPerDelivery1795716000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `SELECT graphile_worker.remove_job(key) FROM graphile_worker.jobs WHERE task_identifier = 'deliver'`,
    );
    await runner.query(`
      SELECT graphile_worker.add_jobs(array_agg((
        'deliver webhook', json_build_object('deliveryId', id::text),
        'webhook ' || webhook_id || ' ' || coalesce(event_id, id) % 8,
        next_attempt_at, NULL, 'delivery ' || id, NULL, NULL)::graphile_worker.job_spec))
      FROM webhook_deliveries WHERE state = 'pending' HAVING count(*) > 0`);
    await runner.query('ALTER TABLE webhooks DROP COLUMN delivering_until');
    await runner.query('ALTER TABLE webhook_deliveries ALTER COLUMN created_at SET DEFAULT now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries ALTER COLUMN created_at DROP DEFAULT');
    await runner.query('ALTER TABLE webhooks ADD COLUMN delivering_until timestamptz');
    await runner.query(
      `SELECT graphile_worker.remove_job(key) FROM graphile_worker.jobs WHERE task_identifier = 'deliver webhook'`,
    );
    await runner.query(`
      SELECT graphile_worker.add_job('deliver', json_build_object('webhookId', webhook_id::text),
                                     job_key => 'webhook ' || webhook_id, run_at => min(next_attempt_at))
      FROM webhook_deliveries WHERE state = 'pending' GROUP BY webhook_id`);
  }
}
