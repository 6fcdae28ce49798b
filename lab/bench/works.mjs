const json = { 'content-type': 'application/json' };
const statuses = ['available', 'pending', 'sold'];

const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const isPet = ({ id, categoryId, status }) =>
  Number.isInteger(id) && Number.isInteger(categoryId) && statuses.includes(status);

/**
 * The requests sent to the servers. Only responses with `status` count; `check` inspects one body before each load.
 * Each request uses a random one of `paths`. In a body, `{random}` is replaced by a random number, and `{next}` by a
 * number that no other request has.
 * @param {string[]} petIds existing pets
 * @param orderable the ids of pets without an order (scene.mjs)
 */
export const works = (petIds, orderable) => ({
  list: {
    paths: statuses.flatMap((status) =>
      numbers(10, 30).map((limit) => `/v1/pets?limit=${limit}&status=${status}`),
    ),
    status: 200,
    check: (body) => body.length === 10 && body.every(isPet),
  },
  one: {
    paths: petIds.map((id) => `/v1/pets?ids=${id}`),
    status: 200,
    check: ([pet]) => isPet(pet) && String(pet.id) === petIds[0],
  },
  create: {
    paths: ['/v1/pets'],
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'Rex', categoryId: 7 }),
    status: 201,
    check: (body) => isPet(body) && body.name === 'Rex',
  },
  batch: {
    paths: ['/v1/pets/batch'],
    method: 'POST',
    headers: json,
    body: JSON.stringify({ pets: Array(100).fill({ name: 'Rex', categoryId: 7 }) }),
    keys: 'importers', // each can send five a second
    warmUpRequests: 1000,
    servers: ['ours', 'against'],
    status: 201,
    check: ({ pets }) => pets.length === 100 && pets.every(isPet),
  },
  update: {
    paths: petIds.map((id) => `/v1/pets/${id}`),
    method: 'PATCH',
    headers: json,
    body: JSON.stringify({ name: 'Pet {random}' }),
    servers: ['ours', 'against', 'fastify'],
    status: 200,
    check: isPet,
  },
  order: {
    paths: ['/v1/store/orders'],
    method: 'POST',
    headers: json,
    body: '{"petId":{next}}',
    next: orderable,
    servers: ['ours', 'against', 'fastify'],
    status: 201,
    check: ({ id, status }) => Number.isInteger(id) && status === 'placed',
  },
  refused: {
    paths: ['/v1/pets?limit=20&status=available'],
    keys: 'exhausted',
    servers: ['ours', 'against'],
    status: 429,
    check: (body) => body.status === 429,
  },
});

export const workNames = Object.keys(works([]));
