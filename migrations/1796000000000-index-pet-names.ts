import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Pets are found by the beginning of their name, and listed in the order of names, whatever the case and the normal form. Function and
 * indexes are of PostgreSQL alone: versions of the service that do not know them write on. The body is parsed now (RETURN), so that a
 * dump restores it whatever the search path. Capitals come last: only of them is there one for each letter (`ß` and `ẞ` are `SS`) wherever
 * it stands (`σ` and `ς` are `Σ`). They may not be in a normal form. NFD comes first, as Unicode's caseless matching has it (D145).
 */
const FUNCTION = `
  CREATE OR REPLACE FUNCTION folded_pet_name(name text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN normalize(upper(lower(normalize(name, NFD) COLLATE "und-x-icu")))`;

/** Compared by code point. The result of a function has the collation of its arguments, here that of the database. */
const FOLDED = 'folded_pet_name(name) COLLATE "C"';

const INDEXES: readonly (readonly [name: string, columns: string])[] = [
  ['pets_folded_name_id_idx', `${FOLDED}, id`],
  ['pets_status_folded_name_id_idx', `status, ${FOLDED}, id`],
];

export class IndexPetNames1796000000000 implements MigrationInterface {
  readonly transaction = false; // the table may be large, and is written meanwhile

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FUNCTION);
    for (const [name, columns] of INDEXES) {
      await drop(runner, name); // a build that was interrupted leaves an invalid one
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON pets (${columns})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of INDEXES) await drop(runner, name);
    await runner.query('DROP FUNCTION IF EXISTS folded_pet_name(text)');
  }
}

async function drop(runner: QueryRunner, name: string): Promise<void> {
  await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
