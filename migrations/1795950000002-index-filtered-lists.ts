import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * For lists with filters: an index that begins with them and ends with the `id` finds a page, or that there is none, at once. Only
 * orders of one pet with one status are searched among those of the pet, which are few.
 */
const INDEXES: readonly (readonly [name: string, table: string, columns: string])[] = [
  ['pets_category_id_status_id_idx', 'pets', 'category_id, status, id'],
  ['orders_status_id_idx', 'orders', 'status, id'],
  ['orders_pet_id_id_idx', 'orders', 'pet_id, id'],
];

export class IndexFilteredLists1795950000002 implements MigrationInterface {
  readonly transaction = false; // the tables may be large, and are written meanwhile

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, table, columns] of INDEXES) {
      await drop(runner, name); // a build that was interrupted leaves an invalid one
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${table} (${columns})`);
    }
    await drop(runner, 'orders_pet_id_idx'); // orders_pet_id_id_idx begins with it
  }

  async down(runner: QueryRunner): Promise<void> {
    await drop(runner, 'orders_pet_id_idx');
    await runner.query('CREATE INDEX CONCURRENTLY orders_pet_id_idx ON orders (pet_id)');
    for (const [name] of INDEXES) await drop(runner, name);
  }
}

async function drop(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
