import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrders1764547200001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE orders (
        id         bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT orders_pkey PRIMARY KEY,
        pet_id     bigint      NOT NULL CONSTRAINT orders_pet_id_fkey REFERENCES pets (id),
        quantity   integer     NOT NULL CONSTRAINT orders_quantity_positive CHECK (quantity > 0),
        status     text        NOT NULL CONSTRAINT orders_status_known CHECK (status IN ('placed', 'approved', 'delivered')),
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    // Without an index on the foreign key, every deletion of a pet would scan the whole table.
    await runner.query('CREATE INDEX orders_pet_id_idx ON orders (pet_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE orders');
  }
}
