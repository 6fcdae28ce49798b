import { env, exit, stderr, stdout } from 'node:process';
import { PetstoreClient } from './client.js';
import { PetstoreError } from './petstore-error.js';

const [command = 'list', name = '', categoryId = ''] = process.argv.slice(2);
const { PETSTORE_URL = 'http://127.0.0.1:3000/v1', PETSTORE_KEY = '' } = env;
const petstore = new PetstoreClient(PETSTORE_URL, PETSTORE_KEY);

try {
  if (command === 'add') {
    const { id } = await petstore.addPet({ name, categoryId: BigInt(categoryId), status: 'available' });
    stdout.write(`${name} has the id ${id}.\n`);
  } else {
    for await (const pet of petstore.pets()) stdout.write(`${pet.id}\t${pet.status}\t${pet.name}\n`);
  }
} catch (error) {
  if (!(error instanceof PetstoreError)) throw error;
  stderr.write(`${error.status} ${error.code}: ${error.message} (request ${error.requestId ?? 'unknown'})\n`);
  exit(1);
}
