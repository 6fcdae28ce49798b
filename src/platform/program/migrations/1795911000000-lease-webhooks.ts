import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The deliveries are their own queue. Replicas of the version before still use the schema `graphile_worker`, which a later release
 * drops.
 */
export class LeaseWebhooks1795911000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks ADD COLUMN busy_until timestamptz, ADD COLUMN busy_by uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP COLUMN busy_until, DROP COLUMN busy_by');
  }
}
