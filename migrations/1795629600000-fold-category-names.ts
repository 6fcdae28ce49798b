import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Row {
  readonly id: string;
  readonly name: string;
}

/** `name_key` becomes the full case folding of the name: `Straße` and `STRASSE` are one name, `x²` and `x2` are two. */
export class FoldCategoryNames1795629600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await rewriteKeys(runner, (name) =>
      Array.from(name.normalize('NFC'), (character) =>
        character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase(),
      )
        .join('')
        .normalize('NFC'),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await rewriteKeys(runner, (name) => name.normalize('NFKC').toLowerCase().normalize('NFKC'));
  }
}

/**
 * If several names fold to the same key, the oldest category gets that key. The others keep their names, with a key
 * that no name can have, because keys contain no capital letters.
 */
async function rewriteKeys(runner: QueryRunner, keyOf: (name: string) => string): Promise<void> {
  await runner.query('LOCK TABLE categories IN SHARE ROW EXCLUSIVE MODE');
  await runner.query('ALTER TABLE categories DROP CONSTRAINT categories_name_key');
  const rows = (await runner.query('SELECT id, name FROM categories ORDER BY id')) as readonly Row[];
  const taken = new Set<string>();
  const keys = rows.map(({ id, name }) => {
    const key = keyOf(name);
    if (taken.has(key)) return `${key} ID ${id}`;
    taken.add(key);
    return key;
  });
  await runner.query(
    `UPDATE categories SET name_key = key FROM unnest($1::bigint[], $2::text[]) AS keys (id, key)
      WHERE categories.id = keys.id`,
    [rows.map(({ id }) => id), keys],
  );
  await runner.query('ALTER TABLE categories ADD CONSTRAINT categories_name_key UNIQUE (name_key)');
}
