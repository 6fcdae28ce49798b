import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AnnounceKeyChanges1764547200005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A trigger also announces manual changes. A change of `last_used_at` is not announced.
    await runner.query(`
      CREATE FUNCTION announce_api_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('api_keys', OLD.id::text);
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER api_keys_announce_update AFTER UPDATE ON api_keys FOR EACH ROW
      WHEN (OLD.last_used_at IS NOT DISTINCT FROM NEW.last_used_at)
      EXECUTE FUNCTION announce_api_key_change()`);
    await runner.query(`
      CREATE TRIGGER api_keys_announce_delete AFTER DELETE ON api_keys FOR EACH ROW
      EXECUTE FUNCTION announce_api_key_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER api_keys_announce_update ON api_keys');
    await runner.query('DROP TRIGGER api_keys_announce_delete ON api_keys');
    await runner.query('DROP FUNCTION announce_api_key_change()');
  }
}
