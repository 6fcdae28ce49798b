import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotentAnswers1764547200020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The response to a request with an Idempotency-Key, written in that request's transaction. The body is stored as
    // text, so it can be sent again unchanged.
    await runner.query(`
      CREATE TABLE idempotent_answers (
        api_key_id  bigint      NOT NULL CONSTRAINT idempotent_answers_api_key_id_fkey
                                REFERENCES api_keys (id) ON DELETE CASCADE,
        key         text        NOT NULL CONSTRAINT idempotent_answers_key_length CHECK (char_length(key) BETWEEN 1 AND 255),
        fingerprint text        NOT NULL,
        status      smallint    NOT NULL,
        headers     jsonb       NOT NULL,
        body        text,
        expires_at  timestamptz NOT NULL,
        CONSTRAINT idempotent_answers_pkey PRIMARY KEY (api_key_id, key)
      )`);
    // Finds expired responses without reading the others.
    await runner.query('CREATE INDEX idempotent_answers_expires_at_idx ON idempotent_answers (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_answers');
  }
}
