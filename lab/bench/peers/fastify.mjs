// What a careful author would write with Fastify for the same work: schemas, limits, keys, a log line and a request id
// for each request, ETags with 304, links to the next page, `Location`, and an event with each change.
import { hash, randomUUID } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { createPet, getPet, listPets, placeOrder, updatePet } from './statements.mjs';

const int64 = { type: 'integer', format: 'int64' };
const status = { type: 'string', enum: ['available', 'pending', 'sold'], default: 'available' };
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', required, properties });

const name = { type: 'string', minLength: 1, maxLength: 200 };
const newPet = object({ name, categoryId: int64, status }, ['name', 'categoryId']);
const pet = object({ id: int64, ...newPet.properties });
const order = object({ id: int64, petId: int64, quantity: { type: 'integer' }, status: { type: 'string' } });
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
const listQuery = object({ limit, status, cursor: { type: 'string', maxLength: 100 }, ids: int64 }, []);

const FLUSH_AFTER = 250; // milliseconds; the buffer is as large as our service's
const destination = pino.destination({ sync: false, minLength: 12_288 });
setInterval(() => destination.flush(), FLUSH_AFTER).unref();

const app = Fastify({
  loggerInstance: pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination),
  disableRequestLogging: true, // it logs two lines per request; one is written below
  genReqId: ({ headers: { 'x-request-id': id } }) =>
    id !== undefined && /^[\x21-\x7e]{1,64}$/.test(id) ? id : randomUUID(),
});
const refuse = (reply, status, code, message) => reply.code(status).send({ code, message, status });

const keys = new Map([[process.env.BENCH_API_KEY, { id: 1, perMinute: 100_000_000 }]]);
app.decorateRequest('key', null);
app.addHook('onRequest', async (request, reply) => {
  reply.header('X-Request-Id', request.id);
  const authorization = request.headers.authorization ?? '';
  request.key = authorization.startsWith('Bearer ') ? keys.get(authorization.slice(7)) : undefined;
  if (!request.key) return refuse(reply, 401, 'invalid_api_key', 'No such key');
});
await app.register(rateLimit, {
  timeWindow: '1 minute',
  max: (request) => request.key.perMinute,
  keyGenerator: (request) => request.key.id,
  ...(process.env.REDIS_URL ? { redis: new Redis(process.env.REDIS_URL) } : {}),
});

app.addHook('onSend', async (request, reply, body) => {
  if (reply.statusCode >= 300) return reply.header('Cache-Control', 'no-store') && body;
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  reply.header('ETag', etag);
  if (request.method !== 'GET') return body;
  reply.header('Cache-Control', 'private, no-cache');
  if (!request.headers['if-none-match']?.includes(etag)) return body;
  reply.code(304);
  return '';
});

app.addHook('onResponse', async (request, reply) => {
  request.log.info({
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
    keyId: request.key?.id,
  });
});

app.get('/v1/pets', {
  schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } },
  async handler({ query: { status, limit, cursor, ids } }, reply) {
    if (ids !== undefined) return getPet(ids);
    const after = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64url'));
    if (!Number.isSafeInteger(after)) return refuse(reply, 400, 'invalid_cursor', 'No such page');
    const pets = await listPets(status, after, limit + 1);
    if (pets.length <= limit) return pets;
    pets.pop();
    const next = Buffer.from(String(pets.at(-1).id)).toString('base64url');
    const query = new URLSearchParams({ status, limit, cursor: next });
    reply.header('Link', `<${origin}/v1/pets?${query}>; rel="next"`);
    return pets;
  },
});

app.post('/v1/pets', {
  schema: { body: newPet, response: { 201: pet } },
  async handler({ body }, reply) {
    const created = await createPet(body);
    reply.code(201).header('Location', `/v1/pets/${created.id}`);
    return created;
  },
});

app.patch('/v1/pets/:petId', {
  schema: { params: object({ petId: int64 }), body: { ...newPet, required: [] }, response: { 200: pet } },
  async handler({ params, body }, reply) {
    const changed = await updatePet(params.petId, body);
    return changed ?? refuse(reply, 409, 'pet_reserved', 'An order holds it');
  },
});

app.post('/v1/store/orders', {
  schema: { body: object({ petId: int64 }), response: { 201: order } },
  async handler({ body }, reply) {
    const placed = await placeOrder(body);
    if (!placed) return refuse(reply, 409, 'pet_not_available', 'It is not available');
    reply.code(201).header('Location', `/v1/store/orders/${placed.id}`);
    return placed;
  },
});

const origin = await app.listen({ port: Number(process.env.PORT), host: process.env.HOST });
