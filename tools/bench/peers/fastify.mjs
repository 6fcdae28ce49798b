// What a careful author would write with Fastify for the same work. Beyond schemas, limits and keys: a log line and a
// request id for each request, ETags with 304, links to the next page, `Location`, and an event with each change.
import Fastify from 'fastify';
import { hash, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { listQuery, newOrder, newPet, order, pet, petParams, protect, refuse } from './shop.mjs';
import { createPetWithEvent, getPet, listPetsAfter, placeOrder, updatePet } from './statements.mjs';

const FLUSH_AFTER = 250; // milliseconds; the buffer is as large as our service's
const destination = pino.destination({ sync: false, minLength: 12_288 });
setInterval(() => destination.flush(), FLUSH_AFTER).unref();

const app = Fastify({
  loggerInstance: pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination),
  disableRequestLogging: true, // it logs two lines per request; one is written below
  genReqId: (request) => shortId(request.headers['x-request-id']) ?? randomUUID(),
});

const shortId = (id) => (id !== undefined && /^[\x21-\x7e]{1,64}$/.test(id) ? id : undefined);

app.addHook('onRequest', async (request, reply) => {
  reply.header('X-Request-Id', request.id);
});
await protect(app);

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
  async handler({ query: { status, limit, cursor } }, reply) {
    const after = cursor === undefined ? 0 : Number(Buffer.from(cursor, 'base64url'));
    if (!Number.isSafeInteger(after)) return refuse(reply, 400, 'invalid_cursor', 'No such page');
    const pets = await listPetsAfter(status, after, limit + 1);
    if (pets.length <= limit) return pets;
    pets.pop();
    const query = new URLSearchParams({ status, limit, cursor: cursorOf(pets.at(-1)) });
    reply.header('Link', `<${origin}/v1/pets?${query}>; rel="next"`);
    return pets;
  },
});

const cursorOf = ({ id }) => Buffer.from(String(id)).toString('base64url');

app.post('/v1/pets', {
  schema: { body: newPet, response: { 201: pet } },
  async handler({ body }, reply) {
    const created = await createPetWithEvent(body);
    reply.code(201).header('Location', `/v1/pets/${created.id}`);
    return created;
  },
});

app.get('/v1/pets/:petId', {
  schema: { params: petParams, response: { 200: pet } },
  async handler({ params }, reply) {
    return (await getPet(params.petId)) ?? refuse(reply, 404, 'pet_not_found', 'No such pet');
  },
});

app.patch('/v1/pets/:petId', {
  schema: { params: petParams, body: { ...newPet, required: [] }, response: { 200: pet } },
  async handler({ params, body }, reply) {
    const changed = await updatePet(params.petId, body);
    return changed ?? refuse(reply, 409, 'pet_reserved', 'An order holds it');
  },
});

app.post('/v1/store/orders', {
  schema: { body: newOrder, response: { 201: order } },
  async handler({ body }, reply) {
    const placed = await placeOrder(body);
    if (!placed) return refuse(reply, 409, 'pet_not_available', 'It is not available');
    reply.code(201).header('Location', `/v1/store/orders/${placed.id}`);
    return placed;
  },
});

const origin = await app.listen({ port: Number(process.env.PORT), host: process.env.HOST });
