import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEvents1795285200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A change writes its event here, in the same transaction. `json` preserves the text, including all digits of
    // numbers.
    await runner.query(`
      CREATE TABLE event_outbox (
        id          bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT event_outbox_pkey PRIMARY KEY,
        type        text        NOT NULL,
        version     smallint    NOT NULL CONSTRAINT event_outbox_version_positive CHECK (version > 0),
        occurred_at timestamptz NOT NULL,
        data        json        NOT NULL
      )`);
    // The feed. Ids are assigned after the commit, by one process at a time, so no lower id appears later.
    await runner.query(`
      CREATE TABLE events (
        id          bigint      CONSTRAINT events_pkey PRIMARY KEY,
        type        text        NOT NULL,
        version     smallint    NOT NULL,
        occurred_at timestamptz NOT NULL,
        data        json        NOT NULL
      )`);
    await runner.query('CREATE INDEX events_type_id_idx ON events (type, id)');
    // A single row, which also serves as the lock for assigning ids.
    await runner.query(`
      CREATE TABLE event_feed (
        single     boolean CONSTRAINT event_feed_pkey PRIMARY KEY DEFAULT true
                           CONSTRAINT event_feed_single CHECK (single),
        last_id    bigint  NOT NULL DEFAULT 0,
        cleared_to bigint  NOT NULL DEFAULT 0
      )`);
    await runner.query('INSERT INTO event_feed DEFAULT VALUES');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE event_feed');
    await runner.query('DROP TABLE events');
    await runner.query('DROP TABLE event_outbox');
  }
}
