const json = { 'content-type': 'application/json' };
const statuses = ['available', 'pending', 'sold'];

const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const isPet = (pet) =>
  Number.isInteger(pet.id) &&
  Number.isInteger(pet.categoryId) &&
  pet.name !== '' &&
  statuses.includes(pet.status);

/**
 * The requests sent to the servers. Only responses with `status` count; `check` inspects one body before each load.
 * With `paths`, each request uses a random one, so that concurrent requests are rarely alike. In a body, `{random}` is
 * replaced by a random number, and `{next}` by a number that no other request has.
 * @param {string[]} petIds existing pets
 * @param orderable the ids of pets without an order (scene.mjs)
 */
export const works = (petIds, orderable) => ({
  list: list('/v1/pets?limit=20&status=available'),
  'list-varied': {
    paths: statuses.flatMap((status) =>
      numbers(10, 30).map((limit) => `/v1/pets?limit=${limit}&status=${status}`),
    ),
    status: 200,
    check: (body) => body.length === 10 && body.every(isPet),
  },
  list100: list('/v1/pets?limit=100&status=available', 100),
  get: {
    paths: petIds.slice(0, 1).map(pathOf),
    status: 200,
    check: (body) => isPet(body) && String(body.id) === petIds[0],
  },
  'get-varied': {
    paths: petIds.map(pathOf),
    status: 200,
    check: (body) => isPet(body) && String(body.id) === petIds[0],
  },
  create: {
    paths: ['/v1/pets'],
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'Rex', categoryId: 7 }),
    status: 201,
    check: (body) =>
      isPet(body) && body.name === 'Rex' && body.categoryId === 7 && body.status === 'available',
  },
  update: {
    paths: petIds.map(pathOf),
    method: 'PATCH',
    headers: json,
    body: JSON.stringify({ name: 'Pet {random}' }),
    servers: ['ours', 'fastify'],
    warmUps: 6, // it gets a quarter as many requests per second
    status: 200,
    check: isPet,
  },
  order: {
    paths: ['/v1/store/orders'],
    method: 'POST',
    headers: json,
    body: '{"petId":{next}}',
    next: orderable,
    servers: ['ours', 'fastify'],
    warmUps: 6,
    status: 201,
    check: ({ id, status }) => Number.isInteger(id) && status === 'placed',
  },
  refused: {
    paths: ['/v1/pets?limit=20&status=available'],
    key: 'exhausted',
    servers: ['ours'],
    status: 429,
    check: (body) => body.status === 429,
  },
});

/** A page of pets: always the same one, or one of several paths. */
export function list(paths, length = 20, isRight = isPet) {
  return {
    paths: [paths].flat(),
    status: 200,
    check: (body) => body.length === length && body.every(isRight),
  };
}

/**
 * Returns a function for the path of the page after any id. The first 8 bytes of a cursor are the id before it, so one
 * cursor from the service is enough to make any other.
 */
export async function cursorsLike(origin, key, path) {
  const response = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } });
  const [, cursor] = /cursor=([\w-]+)/.exec(response.headers.get('link'));
  const bytes = Buffer.from(cursor, 'base64url');
  return (after) => {
    bytes.writeBigInt64BE(BigInt(after));
    return `${path}&cursor=${bytes.toString('base64url')}`;
  };
}

export const pathOf = (petId) => `/v1/pets/${petId}`;

export const workNames = Object.keys(works([]));
