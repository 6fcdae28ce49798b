// The least that a Node.js server can do: no keys, limits, validation or schemas.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createPet, getPet, listPets } from './statements.mjs';

createServer(async (request, response) => {
  const [path, query] = request.url.split('?');
  if (request.method === 'POST') {
    const { name, categoryId, status = 'available' } = await json(request);
    return send(response, 201, await createPet({ name, categoryId, status }));
  }
  if (path === '/v1/pets') {
    const parameters = new URLSearchParams(query);
    return send(response, 200, await listPets(parameters.get('status'), parameters.get('limit')));
  }
  const pet = await getPet(path.slice('/v1/pets/'.length));
  return pet ? send(response, 200, pet) : send(response, 404, { message: 'Not found' });
}).listen(process.env.PORT, process.env.HOST);

function send(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
