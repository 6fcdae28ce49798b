import pg from 'pg';

pg.types.setTypeParser(pg.types.builtins.INT8, Number); // the usual shortcut, inexact from 2^53 on

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });

/** Runs a named statement, which PostgreSQL parses and plans once per connection. */
const run = async (client, name, text, values) => (await client.query({ name, text, values })).rows;

async function transaction(work) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

const COLUMNS = 'id, name, category_id AS "categoryId", status';

/** Lists the pets after the one with the id `after`. */
export const listPets = (status, after, limit) =>
  run(pool, 'list', `SELECT ${COLUMNS} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`, [
    status,
    after,
    limit,
  ]);

/** A page of one pet, or of none. */
export const getPet = (id) => run(pool, 'get', `SELECT ${COLUMNS} FROM pets WHERE id = $1`, [id]);

const CREATE = `WITH pet AS (INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${COLUMNS}),
  event AS (INSERT INTO event_outbox (type, version, occurred_at, data) SELECT 'pet.created', 1, $4, row_to_json(pet) FROM pet)
  SELECT * FROM pet`;

/** Creates a pet together with its event, in one statement as our service does. */
export async function createPet({ name, categoryId, status }) {
  const [pet] = await run(pool, 'create', CREATE, [name, categoryId, status, new Date()]);
  return pet;
}

/** Renames a pet that no order holds, together with its event. */
export function updatePet(id, { name }) {
  return transaction(async (client) => {
    const pet = await lockFreePet(client, id);
    if (!pet) return undefined;
    const changed = { ...pet, name };
    await writePet(client, changed);
    await record(client, 'pet.updated', changed);
    return changed;
  });
}

/** Orders an available pet, together with the events of both. */
export function placeOrder({ petId }) {
  return transaction(async (client) => {
    const pet = await lockFreePet(client, petId);
    if (pet?.status !== 'available') return undefined;
    await run(client, 'reserve', 'INSERT INTO pet_reservations (pet_id) VALUES ($1)', [petId]);
    const changed = { ...pet, status: 'pending' };
    await writePet(client, changed);
    await record(client, 'pet.status_changed', { ...changed, previousStatus: pet.status });
    const insert = `INSERT INTO orders (pet_id, quantity, status) VALUES ($1, 1, 'placed')
                    RETURNING id, pet_id AS "petId", quantity, status`;
    const [order] = await run(client, 'order', insert, [petId]);
    await record(client, 'order.placed', order);
    return order;
  });
}

async function lockFreePet(client, id) {
  const [pet] = await run(client, 'lock', `SELECT ${COLUMNS} FROM pets WHERE id = $1 FOR UPDATE`, [id]);
  const reservations = await run(client, 'held', 'SELECT 1 FROM pet_reservations WHERE pet_id = $1', [id]);
  return reservations.length > 0 ? undefined : pet;
}

const writePet = (client, { id, name, categoryId, status }) =>
  run(client, 'update', 'UPDATE pets SET name = $2, category_id = $3, status = $4 WHERE id = $1', [
    ...[id, name, categoryId, status],
  ]);

const record = (client, type, data) =>
  run(client, 'event', 'INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ($1, 1, $2, $3)', [
    ...[type, new Date(), JSON.stringify(data)],
  ]);
