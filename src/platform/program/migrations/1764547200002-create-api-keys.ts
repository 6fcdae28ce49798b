import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateApiKeys1764547200002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The key itself is not stored: `hash` is its SHA-256; `prefix` and `last_four` let people recognise it. Custom
    // limits come in pairs, and only for the enterprise plan.
    await runner.query(`
      CREATE TABLE api_keys (
        id           bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT api_keys_pkey PRIMARY KEY,
        name         text        NOT NULL CONSTRAINT api_keys_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
        plan         text        NOT NULL CONSTRAINT api_keys_plan_known CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
        per_minute   integer     CONSTRAINT api_keys_per_minute_positive CHECK (per_minute > 0),
        per_day      integer     CONSTRAINT api_keys_per_day_positive CHECK (per_day > 0),
        hash         bytea       NOT NULL CONSTRAINT api_keys_hash_key UNIQUE,
        prefix       text        NOT NULL,
        last_four    text        NOT NULL,
        created_at   timestamptz NOT NULL DEFAULT now(),
        expires_at   timestamptz,
        revoked_at   timestamptz,
        last_used_at timestamptz,
        CONSTRAINT api_keys_custom_limits CHECK (
          CASE WHEN plan = 'enterprise' THEN per_minute IS NOT NULL AND per_day IS NOT NULL
               ELSE per_minute IS NULL AND per_day IS NULL END)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys');
  }
}
