import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'webhook_deliveries_webhook_id_state_id_idx';

/**
 * For the deliveries of a webhook by their state. The pet store made this index before, together with those of
 * its own lists, so it may exist.
 */
export class IndexDeliveriesByState1796200000000 implements MigrationInterface {
  readonly transaction = false; // the table may be large, and is written meanwhile

  async up(runner: QueryRunner): Promise<void> {
    const invalid = (await runner.query(
      'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
      [INDEX],
    )) as unknown[];
    // A build that was interrupted leaves an invalid one.
    if (invalid.length > 0) await runner.query(`DROP INDEX CONCURRENTLY ${INDEX}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${INDEX} ON webhook_deliveries (webhook_id, state, id)`,
    );
  }

  /** It stays: where another migration has made it, that one removes it, and otherwise it goes with its table. */
  async down(): Promise<void> {
    // nothing to do
  }
}
