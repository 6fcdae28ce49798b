import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateIdempotencyClaims1795824000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Which request works on an Idempotency-Key. A claim is a lease: its process renews it until the response is stored.
    await runner.query(`
      CREATE TABLE idempotency_claims (
        api_key_id bigint      NOT NULL CONSTRAINT idempotency_claims_api_key_id_fkey
                               REFERENCES api_keys (id) ON DELETE CASCADE,
        key        text        NOT NULL,
        claim      uuid        NOT NULL CONSTRAINT idempotency_claims_claim_key UNIQUE,
        expires_at timestamptz NOT NULL,
        CONSTRAINT idempotency_claims_pkey PRIMARY KEY (api_key_id, key)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_claims');
  }
}
