import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApiKeyHistory1764547200012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // There is no foreign key, so the history of a key survives the deletion of its row.
    await runner.query(`
      CREATE TABLE api_key_history (
        id         bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT api_key_history_pkey PRIMARY KEY,
        key_id     bigint      NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now(),
        action     text        NOT NULL CONSTRAINT api_key_history_action_known
                               CHECK (action IN ('create', 'update', 'rotate', 'revoke', 'ban', 'unban')),
        os_user    text        NOT NULL,
        host       text        NOT NULL,
        command    text        NOT NULL,
        changes    json        NOT NULL
      )`);
    await runner.query('CREATE INDEX api_key_history_key_id_idx ON api_key_history (key_id, id)');
    // A statement trigger also refuses TRUNCATE. ALWAYS applies it even in sessions that turn ordinary triggers off.
    await runner.query(`
      CREATE FUNCTION refuse_api_key_history_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'api_key_history is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
      END $$`);
    await runner.query(`
      CREATE TRIGGER api_key_history_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON api_key_history
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_api_key_history_change()`);
    await runner.query('ALTER TABLE api_key_history ENABLE ALWAYS TRIGGER api_key_history_append_only');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key_history');
    await runner.query('DROP FUNCTION refuse_api_key_history_change()');
  }
}
