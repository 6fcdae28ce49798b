import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebhooks1795543200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Empty types mean all types. A deleted webhook remains until its deliveries have been deleted in small batches.
    await runner.query(`
      CREATE TABLE webhooks (
        id               bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT webhooks_pkey PRIMARY KEY,
        api_key_id       bigint      NOT NULL CONSTRAINT webhooks_api_key_id_fkey
                                     REFERENCES api_keys (id) ON DELETE CASCADE,
        url              text        NOT NULL CONSTRAINT webhooks_url_length CHECK (char_length(url) <= 2048),
        types            text[]      NOT NULL,
        state            text        NOT NULL CONSTRAINT webhooks_state_known CHECK (state IN ('enabled', 'disabled')),
        disabled_reason  text        CONSTRAINT webhooks_disabled_reason_known
                                     CHECK (disabled_reason IN ('request', 'gone', 'failing', 'operator')),
        secret           bytea       NOT NULL,
        previous_secret  bytea,
        previous_ends_at timestamptz,
        after_event_id   bigint      NOT NULL,
        failing_since    timestamptz,
        delivering_until timestamptz,
        created_at       timestamptz NOT NULL,
        deleted_at       timestamptz,
        CONSTRAINT webhooks_disabled CHECK ((state = 'disabled') = (disabled_reason IS NOT NULL)),
        CONSTRAINT webhooks_previous_ends CHECK ((previous_secret IS NULL) = (previous_ends_at IS NULL))
      )`);
    await runner.query('CREATE INDEX webhooks_api_key_id_idx ON webhooks (api_key_id, id)');
    // A ping has no event. There is no foreign key to events, because both are deleted independently after 30 days.
    await runner.query(`
      CREATE TABLE webhook_deliveries (
        id              bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
        webhook_id      bigint      NOT NULL CONSTRAINT webhook_deliveries_webhook_id_fkey
                                    REFERENCES webhooks (id) ON DELETE CASCADE,
        event_id        bigint,
        type            text        NOT NULL,
        state           text        NOT NULL CONSTRAINT webhook_deliveries_state_known
                                    CHECK (state IN ('pending', 'delivered', 'failed')),
        tries           smallint    NOT NULL DEFAULT 0,
        attempts        jsonb       NOT NULL DEFAULT '[]',
        next_attempt_at timestamptz,
        created_at      timestamptz NOT NULL,
        CONSTRAINT webhook_deliveries_next_attempt CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
      )`);
    await runner.query(
      'CREATE INDEX webhook_deliveries_webhook_id_idx ON webhook_deliveries (webhook_id, id)',
    );
    await runner.query(`
      CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (webhook_id, next_attempt_at)
      WHERE state = 'pending'`);
    // The newest event of the feed whose deliveries have been created. A single row, which also serves as the lock of
    // the process that creates them.
    await runner.query(`
      CREATE TABLE webhook_feed (
        single        boolean CONSTRAINT webhook_feed_pkey PRIMARY KEY DEFAULT true
                              CONSTRAINT webhook_feed_single CHECK (single),
        last_event_id bigint  NOT NULL DEFAULT 0
      )`);
    await runner.query('INSERT INTO webhook_feed DEFAULT VALUES');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA IF EXISTS graphile_worker CASCADE'); // of the job queue of earlier versions
    await runner.query('DROP TABLE webhook_feed');
    await runner.query('DROP TABLE webhook_deliveries');
    await runner.query('DROP TABLE webhooks');
  }
}
