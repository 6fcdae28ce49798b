// What a careful author writes with Fastify: schemas in and out, the rate-limit plugin, keys in memory.
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { createPet, getPet, listPets, placeOrder, updatePet } from './statements.mjs';

const status = { type: 'string', enum: ['available', 'pending', 'sold'], default: 'available' };
const int64 = { type: 'integer', format: 'int64' };
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: { type: 'string', minLength: 1, maxLength: 200 }, categoryId: int64, status },
};
const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId', 'status'],
  properties: { id: int64, ...newPet.properties },
};
const newOrder = { type: 'object', required: ['petId'], properties: { petId: int64 } };
const order = {
  type: 'object',
  required: ['id', 'petId', 'quantity', 'status'],
  properties: { id: int64, petId: int64, quantity: { type: 'integer' }, status: { type: 'string' } },
};
const listQuery = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status },
};
const petParams = { type: 'object', properties: { petId: int64 } };

const keys = new Map([[process.env.BENCH_API_KEY, { id: 1, perMinute: 100_000_000 }]]);
const app = Fastify({ logger: false });
app.decorateRequest('key', null);

app.addHook('onRequest', async (request, reply) => {
  const authorization = request.headers.authorization ?? '';
  request.key = authorization.startsWith('Bearer ') ? keys.get(authorization.slice(7)) : undefined;
  if (!request.key)
    return reply.code(401).send({ code: 'invalid_api_key', message: 'No such key', status: 401 });
});
await app.register(rateLimit, {
  timeWindow: '1 minute',
  max: (request) => request.key.perMinute,
  keyGenerator: (request) => request.key.id,
  ...(process.env.REDIS_URL ? { redis: new Redis(process.env.REDIS_URL) } : {}),
});

app.get('/v1/pets', {
  schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } },
  handler: ({ query }) => listPets(query.status, query.limit),
});

app.post('/v1/pets', {
  schema: { body: newPet, response: { 201: pet } },
  async handler({ body }, reply) {
    reply.code(201);
    return createPet(body);
  },
});

app.get('/v1/pets/:petId', {
  schema: { params: petParams, response: { 200: pet } },
  async handler({ params }, reply) {
    const found = await getPet(params.petId);
    return found ?? reply.code(404).send({ code: 'pet_not_found', message: 'No such pet', status: 404 });
  },
});

app.patch('/v1/pets/:petId', {
  schema: { params: petParams, body: { ...newPet, required: [] }, response: { 200: pet } },
  async handler({ params, body }, reply) {
    const changed = await updatePet(params.petId, body);
    return (
      changed ?? reply.code(409).send({ code: 'pet_reserved', message: 'An order holds it', status: 409 })
    );
  },
});

app.post('/v1/store/orders', {
  schema: { body: newOrder, response: { 201: order } },
  async handler({ body }, reply) {
    const placed = await placeOrder(body);
    if (placed) return reply.code(201).send(placed);
    return reply.code(409).send({ code: 'pet_not_available', message: 'It is not available', status: 409 });
  },
});

await app.listen({ port: Number(process.env.PORT), host: process.env.HOST });
