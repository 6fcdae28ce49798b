import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A client can rotate its key by itself, so those entries could grow without limit. All but the newest 100 of a key may be deleted;
 * what an operator does stays for good.
 */
export class BoundKeyHistory1795950000001 implements MigrationInterface {
  static readonly upgradesFrom = '1.3';

  async up(runner: QueryRunner): Promise<void> {
    await setStatementTrigger(runner, 'UPDATE OR TRUNCATE');
    await runner.query(`
      CREATE FUNCTION refuse_api_key_history_delete() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF old.action = 'rotate' AND old.command = 'the service' AND 100 <= (
          SELECT count(*) FROM api_key_history AS newer
          WHERE newer.key_id = old.key_id AND newer.id > old.id AND action = 'rotate' AND command = 'the service'
        ) THEN RETURN old; END IF;
        RAISE EXCEPTION 'api_key_history is append-only: DELETE is refused' USING ERRCODE = 'insufficient_privilege';
      END $$`);
    await runner.query(`
      CREATE TRIGGER api_key_history_keep BEFORE DELETE ON api_key_history
      FOR EACH ROW EXECUTE FUNCTION refuse_api_key_history_delete()`);
    await runner.query('ALTER TABLE api_key_history ENABLE ALWAYS TRIGGER api_key_history_keep');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER api_key_history_keep ON api_key_history');
    await runner.query('DROP FUNCTION refuse_api_key_history_delete()');
    await setStatementTrigger(runner, 'UPDATE OR DELETE OR TRUNCATE');
  }
}

async function setStatementTrigger(runner: QueryRunner, operations: string): Promise<void> {
  await runner.query('DROP TRIGGER api_key_history_append_only ON api_key_history');
  await runner.query(`
    CREATE TRIGGER api_key_history_append_only BEFORE ${operations} ON api_key_history
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_api_key_history_change()`);
  await runner.query('ALTER TABLE api_key_history ENABLE ALWAYS TRIGGER api_key_history_append_only');
}
