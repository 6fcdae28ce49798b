import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CountDaysByWriter1795600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The counts of each process for the last two days. Older days are added up in api_key_usage, where processes of
    // earlier versions still write theirs, using api_key_usage_writers.
    await runner.query(`
      CREATE TABLE api_key_usage_by_writer (
        key_id   bigint NOT NULL CONSTRAINT api_key_usage_by_writer_key_id_fkey REFERENCES api_keys (id) ON DELETE CASCADE,
        day      date   NOT NULL,
        writer   uuid   NOT NULL,
        requests bigint NOT NULL,
        CONSTRAINT api_key_usage_by_writer_pkey PRIMARY KEY (key_id, day, writer)
      ) WITH (fillfactor = 80)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO api_key_usage AS usage (key_id, day, requests)
      SELECT key_id, day, sum(requests) FROM api_key_usage_by_writer GROUP BY key_id, day
      ON CONFLICT (key_id, day) DO UPDATE SET requests = usage.requests + excluded.requests`);
    await runner.query('DROP TABLE api_key_usage_by_writer');
  }
}
