import pg from 'pg';

pg.types.setTypeParser(pg.types.builtins.INT8, Number); // the usual shortcut, inexact from 2^53 on

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });

/** Runs `work` in a transaction. */
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

const toPet = ({ id, name, category_id, status }) => ({ id, name, categoryId: category_id, status });

/** Named statements, which PostgreSQL parses and plans once per connection. */
export async function listPets(status, limit) {
  const { rows } = await pool.query({
    name: 'list',
    text: 'SELECT id, name, category_id, status FROM pets WHERE status = $1 ORDER BY id LIMIT $2',
    values: [status, limit],
  });
  return rows.map(toPet);
}

/** Lists the pets after the one with the id `after`. */
export async function listPetsAfter(status, after, limit) {
  const { rows } = await pool.query({
    name: 'list-after',
    text: 'SELECT id, name, category_id, status FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3',
    values: [status, after, limit],
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

export const createPet = (newPet) => insertPet(pool, newPet);

/** Creates a pet together with its event. */
export function createPetWithEvent(newPet) {
  return transaction(async (client) => {
    const pet = await insertPet(client, newPet);
    await record(client, 'pet.created', pet);
    return pet;
  });
}

async function insertPet(client, { name, categoryId, status }) {
  const { rows } = await client.query({
    name: 'create',
    text: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3)
           RETURNING id, name, category_id, status`,
    values: [name, categoryId, status],
  });
  return toPet(rows[0]);
}

/** Renames a pet that no order holds, together with its event. */
export function updatePet(id, { name }) {
  return transaction(async (client) => {
    const pet = await lockPet(client, id);
    if (!pet || (await isReserved(client, id))) return undefined;
    const changed = { ...pet, name };
    await writePet(client, changed);
    await record(client, 'pet.updated', changed);
    return changed;
  });
}

/** Orders an available pet, together with the events of both. */
export function placeOrder({ petId }) {
  return transaction(async (client) => {
    const pet = await lockPet(client, petId);
    if (pet?.status !== 'available' || (await isReserved(client, petId))) return undefined;
    await client.query({
      name: 'reserve',
      text: 'INSERT INTO pet_reservations (pet_id) VALUES ($1)',
      values: [petId],
    });
    const changed = { ...pet, status: 'pending' };
    await writePet(client, changed);
    await record(client, 'pet.status_changed', { ...changed, previousStatus: pet.status });
    const { rows } = await client.query({
      name: 'order',
      text: `INSERT INTO orders (pet_id, quantity, status) VALUES ($1, 1, 'placed')
             RETURNING id, pet_id, quantity, status`,
      values: [petId],
    });
    const { id, quantity, status } = rows[0];
    const order = { id, petId, quantity, status };
    await record(client, 'order.placed', order);
    return order;
  });
}

async function lockPet(client, id) {
  const { rows } = await client.query({
    name: 'lock',
    text: 'SELECT id, name, category_id, status FROM pets WHERE id = $1 FOR UPDATE',
    values: [id],
  });
  return rows.length > 0 ? toPet(rows[0]) : undefined;
}

async function isReserved(client, id) {
  const { rowCount } = await client.query({
    name: 'reserved',
    text: 'SELECT 1 FROM pet_reservations WHERE pet_id = $1',
    values: [id],
  });
  return rowCount > 0;
}

const writePet = (client, { id, name, categoryId, status }) =>
  client.query({
    name: 'update',
    text: 'UPDATE pets SET name = $2, category_id = $3, status = $4 WHERE id = $1',
    values: [id, name, categoryId, status],
  });

const record = (client, type, data) =>
  client.query({
    name: 'event',
    text: 'INSERT INTO event_outbox (type, version, occurred_at, data) VALUES ($1, 1, $2, $3)',
    values: [type, new Date(), JSON.stringify(data)],
  });
