import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddKeyScopes1764547200011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // NULL is every scope, those of later modules too. Which scopes there are is known to the code alone, so that a
    // module that brings one needs no migration for it.
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN scopes text[] CONSTRAINT api_keys_scopes_not_empty CHECK (cardinality(scopes) > 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN scopes');
  }
}
