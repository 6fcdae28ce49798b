import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IndexEventsByTime1795910400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Finds expired events wherever they stand. A BRIN index of a table in the order of time is a few pages.
    await runner.query(
      'CREATE INDEX events_occurred_at_idx ON events USING brin (occurred_at) WITH (autosummarize = on)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX events_occurred_at_idx');
  }
}
