import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateUsageWriters1795370400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row for each process that writes day counts. A statement that timed out may run later, or twice: what is not
    // newer than `sequence` has been counted. Processes of an earlier version do not know the table and need not.
    await runner.query(`
      CREATE TABLE api_key_usage_writers (
        writer     uuid        CONSTRAINT api_key_usage_writers_pkey PRIMARY KEY,
        sequence   bigint      NOT NULL,
        written_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key_usage_writers');
  }
}
