import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddBans1764547200003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A ban belongs to the key, so rotation and a change of plan keep it, and every process reads it with the key.
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN ban_ends_at timestamptz,
        ADD COLUMN ban_level   smallint NOT NULL DEFAULT 0
          CONSTRAINT api_keys_ban_level_not_negative CHECK (ban_level >= 0),
        ADD COLUMN forgiven_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE api_keys DROP COLUMN ban_ends_at, DROP COLUMN ban_level, DROP COLUMN forgiven_at',
    );
  }
}
