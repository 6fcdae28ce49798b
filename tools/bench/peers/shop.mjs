// Shared by both Fastify peers: the schemas, the keys in memory, the rate-limit plugin.
import rateLimit from '@fastify/rate-limit';
import { Redis } from 'ioredis';

const status = { type: 'string', enum: ['available', 'pending', 'sold'], default: 'available' };
const int64 = { type: 'integer', format: 'int64' };
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };

export const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: { type: 'string', minLength: 1, maxLength: 200 }, categoryId: int64, status },
};
export const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId', 'status'],
  properties: { id: int64, ...newPet.properties },
};
export const newOrder = { type: 'object', required: ['petId'], properties: { petId: int64 } };
export const order = {
  type: 'object',
  required: ['id', 'petId', 'quantity', 'status'],
  properties: { id: int64, petId: int64, quantity: { type: 'integer' }, status: { type: 'string' } },
};
export const listQuery = {
  type: 'object',
  properties: { limit, status, cursor: { type: 'string', maxLength: 100 } },
};
export const petParams = { type: 'object', properties: { petId: int64 } };

const keys = new Map([[process.env.BENCH_API_KEY, { id: 1, perMinute: 100_000_000 }]]);

/** Refuses requests without a known key, and limits the requests of each key. */
export async function protect(app) {
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
}

/** Ends the request with an error body. */
export const refuse = (reply, status, code, message) => reply.code(status).send({ code, message, status });
