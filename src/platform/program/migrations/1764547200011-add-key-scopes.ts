import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddKeyScopes1764547200011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // NULL means every scope, including ones added later. Only the code lists the scopes, so a new one needs no
    // migration.
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN scopes text[] CONSTRAINT api_keys_scopes_not_empty CHECK (cardinality(scopes) > 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN scopes');
  }
}
