import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddKeyRotation1764547200010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A key has one secret, and for a while after a rotation also the previous one. They are columns rather than a
    // table of secrets, so that changing them changes the key's row, which is announced.
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN previous_hash    bytea CONSTRAINT api_keys_previous_hash_key UNIQUE,
        ADD COLUMN previous_ends_at timestamptz,
        ADD CONSTRAINT api_keys_previous_ends CHECK ((previous_hash IS NULL) = (previous_ends_at IS NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN previous_hash, DROP COLUMN previous_ends_at');
  }
}
