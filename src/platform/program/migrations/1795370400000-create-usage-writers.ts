import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateUsageWriters1795370400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row for each process that writes day counts. A statement that timed out may run later or twice, so only one
    // with a higher `sequence` counts. Earlier versions do not need the table.
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
