import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CreateUsageWriters1795370400000 } from './1795370400000-create-usage-writers.js';
import { CreateIdempotencyClaims1795824000000 } from './1795824000000-create-idempotency-claims.js';

/** Versions before 1.3 wrote to them. The schema is that of the job queue of 1.0. */
export class DropUnusedTables1796300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_claims, api_key_usage_writers');
    await runner.query('DROP SCHEMA IF EXISTS graphile_worker CASCADE');
  }

  async down(runner: QueryRunner): Promise<void> {
    await new CreateUsageWriters1795370400000().up(runner);
    await new CreateIdempotencyClaims1795824000000().up(runner);
  }
}
