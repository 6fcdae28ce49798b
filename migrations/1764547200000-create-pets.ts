import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePets1764547200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // char_length counts code points, like the API. A check is used because values of an enum type cannot be removed.
    await runner.query(`
      CREATE TABLE pets (
        id          bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pets_pkey PRIMARY KEY,
        name        text   NOT NULL CONSTRAINT pets_name_length CHECK (char_length(name) BETWEEN 1 AND 200),
        category_id bigint NOT NULL,
        status      text   NOT NULL CONSTRAINT pets_status_known CHECK (status IN ('available', 'pending', 'sold'))
      )`);
    // Finds the first row of any page for a status without reading pets of other statuses.
    await runner.query('CREATE INDEX pets_status_id_idx ON pets (status, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE pets');
  }
}
