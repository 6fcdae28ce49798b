const json = { 'content-type': 'application/json' };

/**
 * What is asked of the servers. `status` is the only answer that counts; `check` looks at one body before each load.
 * @param {string} petId an animal that exists
 */
export const works = (petId) => ({
  list: {
    path: '/v1/pets?limit=20&status=available',
    status: 200,
    check: (body) => isPage(body, 20),
  },
  list100: {
    path: '/v1/pets?limit=100&status=available',
    status: 200,
    check: (body) => isPage(body, 100),
  },
  get: {
    path: `/v1/pets/${petId}`,
    status: 200,
    check: (body) => isPet(body) && String(body.id) === petId,
  },
  create: {
    path: '/v1/pets',
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'Rex', categoryId: 7 }),
    status: 201,
    check: (body) =>
      isPet(body) && body.name === 'Rex' && body.categoryId === 7 && body.status === 'available',
  },
  refused: {
    path: '/v1/pets?limit=20&status=available',
    key: 'exhausted',
    servers: ['ours'],
    status: 429,
    check: (body) => body.status === 429,
  },
});

export const workNames = Object.keys(works(''));

const isPet = (pet) =>
  Number.isInteger(pet.id) && Number.isInteger(pet.categoryId) && pet.name !== '' && Boolean(pet.status);

const isPage = (body, length) =>
  Array.isArray(body) &&
  body.length === length &&
  body.every((pet) => isPet(pet) && pet.status === 'available');
