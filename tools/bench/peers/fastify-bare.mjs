// The minimum that a Fastify author would write: schemas for requests and responses, the rate-limit plugin, keys in
// memory.
import Fastify from 'fastify';
import { listQuery, newPet, pet, petParams, protect, refuse } from './shop.mjs';
import { createPet, getPet, listPets } from './statements.mjs';

const app = Fastify({ logger: false });
await protect(app);

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
    return (await getPet(params.petId)) ?? refuse(reply, 404, 'pet_not_found', 'No such pet');
  },
});

await app.listen({ port: Number(process.env.PORT), host: process.env.HOST });
