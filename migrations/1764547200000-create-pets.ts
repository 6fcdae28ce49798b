import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePets1764547200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // char_length counts code points, as the interface does. Text with a check rather than an enumerated type:
    // a value can be taken out of a check again.
    await runner.query(`
      CREATE TABLE pets (
        id          bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pets_pkey PRIMARY KEY,
        name        text   NOT NULL CONSTRAINT pets_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
        category_id bigint NOT NULL,
        status      text   NOT NULL CONSTRAINT pets_status_known CHECK (status IN ('available', 'pending', 'sold'))
      )`);
    // A page of one status starts anywhere in the list without reading the animals of the others.
    await runner.query('CREATE INDEX pets_status_id_idx ON pets (status, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE pets');
  }
}
