import pg from 'pg';

pg.types.setTypeParser(pg.types.builtins.INT8, Number); // the usual shortcut: inexact from 2^53 on

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });

const toPet = ({ id, name, category_id, status }) => ({ id, name, categoryId: category_id, status });

/** Statements with a name: PostgreSQL parses and plans them once per connection. */
export async function listPets(status, limit) {
  const { rows } = await pool.query({
    name: 'list',
    text: 'SELECT id, name, category_id, status FROM pets WHERE status = $1 ORDER BY id LIMIT $2',
    values: [status, limit],
  });
  return rows.map(toPet);
}

export async function getPet(id) {
  const { rows } = await pool.query({
    name: 'get',
    text: 'SELECT id, name, category_id, status FROM pets WHERE id = $1',
    values: [id],
  });
  return rows.length > 0 ? toPet(rows[0]) : undefined;
}

export async function createPet({ name, categoryId, status }) {
  const { rows } = await pool.query({
    name: 'create',
    text: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3)
           RETURNING id, name, category_id, status`,
    values: [name, categoryId, status],
  });
  return toPet(rows[0]);
}
