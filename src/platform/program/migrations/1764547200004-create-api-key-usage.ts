import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApiKeyUsage1764547200004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One row per key and UTC day, updated at most about a hundred times. Free space in its page keeps updates cheap.
    await runner.query(`
      CREATE TABLE api_key_usage (
        key_id   bigint NOT NULL CONSTRAINT api_key_usage_key_id_fkey REFERENCES api_keys (id) ON DELETE CASCADE,
        day      date   NOT NULL,
        requests bigint NOT NULL,
        CONSTRAINT api_key_usage_pkey PRIMARY KEY (key_id, day)
      ) WITH (fillfactor = 80)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key_usage');
  }
}
