import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ReservePets1795456800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Pets held by an open order. The primary key allows at most one order per pet.
    await runner.query(`
      CREATE TABLE pet_reservations (
        pet_id bigint CONSTRAINT pet_reservations_pkey PRIMARY KEY
                      CONSTRAINT pet_reservations_pet_id_fkey REFERENCES pets (id)
      )`);
    await runner.query(`
      INSERT INTO pet_reservations (pet_id)
      SELECT DISTINCT pet_id FROM orders WHERE status IN ('placed', 'approved')`);
    // An order keeps the id of its pet after the pet is removed.
    await runner.query('ALTER TABLE orders DROP CONSTRAINT orders_pet_id_fkey');
    await runner.query('ALTER TABLE orders DROP CONSTRAINT orders_status_known');
    await runner.query(`
      ALTER TABLE orders ADD CONSTRAINT orders_status_known
      CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE pet_reservations');
    await runner.query(
      `DELETE FROM orders WHERE status = 'cancelled' OR pet_id NOT IN (SELECT id FROM pets)`,
    );
    await runner.query('ALTER TABLE orders DROP CONSTRAINT orders_status_known');
    await runner.query(`
      ALTER TABLE orders ADD CONSTRAINT orders_status_known CHECK (status IN ('placed', 'approved', 'delivered'))`);
    await runner.query(`
      ALTER TABLE orders ADD CONSTRAINT orders_pet_id_fkey FOREIGN KEY (pet_id) REFERENCES pets (id)`);
  }
}
