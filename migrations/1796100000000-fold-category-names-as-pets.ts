import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FoldCategoryNames1795629600000 } from './1795629600000-fold-category-names.js';

/**
 * `folded_pet_name` makes `ı` an `i`, of which it is no capital or small form. Escaped, it stays a letter of its own.
 * The backslash is doubled so that no other name is escaped to the same text.
 */
const KEY_OF = (name: string) => String.raw`folded_pet_name(replace(replace(${name}, '\', '\\'), 'ı', '\.'))`;

/**
 * PostgreSQL sets `name_key`, by the function that folds the names of pets, whatever an earlier version of the
 * service writes into it.
 */
export class FoldCategoryNamesAsPets1796100000000 implements MigrationInterface {
  static readonly upgradesFrom = '1.3';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE');
    await runner.query('ALTER TABLE categories DROP CONSTRAINT categories_name_key');
    // Of names that are the same, the oldest category has the key. The others keep their names, with a key that no
    // name can have, because keys contain no small letters from a to z.
    await runner.query(`
      UPDATE categories SET name_key = key || CASE WHEN nth > 1 THEN ' id ' || categories.id ELSE '' END
      FROM (
        SELECT id, key, row_number() OVER (PARTITION BY key ORDER BY id) AS nth
        FROM (SELECT id, ${KEY_OF('name')} AS key FROM categories) AS folded
      ) AS keys
      WHERE categories.id = keys.id`);
    await runner.query('ALTER TABLE categories ADD CONSTRAINT categories_name_key UNIQUE (name_key)');
    await runner.query(`
      CREATE FUNCTION set_category_name_key() RETURNS trigger
      LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        NEW.name_key := ${KEY_OF('NEW.name')};
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER categories_set_name_key BEFORE INSERT OR UPDATE OF name ON categories
      FOR EACH ROW EXECUTE FUNCTION set_category_name_key()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER categories_set_name_key ON categories');
    await runner.query('DROP FUNCTION set_category_name_key()');
    await new FoldCategoryNames1795629600000().up(runner);
  }
}
