import { argv, exit, stderr, stdout } from 'node:process';
import { PetstoreClient, PetstoreError } from 'petstore-client';

const [command = 'list', name = '', categoryId = ''] = argv.slice(2);
const client = new PetstoreClient(); // reads PETSTORE_URL and PETSTORE_API_KEY

try {
  if (command === 'add') {
    const pet = await client.pets.create({ name, categoryId: BigInt(categoryId) });
    stdout.write(`${pet.name} has the id ${pet.id}.\n`);
  } else {
    for await (const { id, status, name } of client.pets.list({ limit: 100 }))
      stdout.write(`${id}\t${status}\t${name}\n`);
  }
} catch (error) {
  if (!(error instanceof PetstoreError)) throw error;
  const { status = '', code, message, requestId = 'unknown' } = error;
  stderr.write(`${status} ${code}: ${message} (request ${requestId})\n`.trimStart());
  exit(1);
}
