import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Also changed the jobs of a queue that no longer exists. */
export class JobPerDelivery1795716000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP COLUMN delivering_until');
    await runner.query('ALTER TABLE webhook_deliveries ALTER COLUMN created_at SET DEFAULT now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries ALTER COLUMN created_at DROP DEFAULT');
    await runner.query('ALTER TABLE webhooks ADD COLUMN delivering_until timestamptz');
  }
}
