import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddBans1764547200003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Bans are stored with the key, so they survive rotation and a change of plan, and every process reads them with
    // the key.
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
