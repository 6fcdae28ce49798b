import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCategories1795456800001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // char_length counts code points, like the API. The service computes `name_key`, the case-folded name, because
    // lower() depends on the database's locale.
    await runner.query(`
      CREATE TABLE categories (
        id        bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT categories_pkey PRIMARY KEY,
        name      text   NOT NULL CONSTRAINT categories_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
        name_key  text   NOT NULL CONSTRAINT categories_name_key UNIQUE,
        parent_id bigint CONSTRAINT categories_parent_id_fkey REFERENCES categories (id)
      )`);
    await runner.query('CREATE INDEX categories_parent_id_idx ON categories (parent_id)');
    // For pages of the pets of a category. Building it blocks creations: some seconds for 10 000 000 pets.
    await runner.query('CREATE INDEX pets_category_id_id_idx ON pets (category_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX pets_category_id_id_idx');
    await runner.query('DROP TABLE categories');
  }
}
