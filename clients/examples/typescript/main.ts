import { argv, exit, stderr, stdout } from 'node:process';
import { PetstoreClient, PetstoreError } from 'petstore-client';

const [command, name = '', categoryId = ''] = argv.slice(2);
if (command !== 'list' && !(command === 'add' && name !== '' && /^\d+$/.test(categoryId))) {
  stderr.write('Usage: npm start --silent -- list\n       npm start --silent -- add <name> <categoryId>\n');
  exit(2);
}
stdout.on('error', () => exit()); // `| head` has read enough

try {
  const client = new PetstoreClient(); // reads PETSTORE_URL and PETSTORE_API_KEY
  if (command === 'add') {
    const pet = await client.pets.create({ name, categoryId: BigInt(categoryId) });
    stdout.write(`${pet.name} has the id ${pet.id}.\n`);
  } else {
    for await (const { id, status, name } of client.pets.list({ limit: 100 }))
      stdout.write(`${id}\t${status}\t${name}\n`);
  }
} catch (error) {
  if (error instanceof TypeError) {
    stderr.write(`${error.message}\n`); // no address, or no key
    exit(2);
  }
  if (!(error instanceof PetstoreError)) throw error;
  const { status = '', code, message, requestId = 'unknown' } = error;
  stderr.write(`${status} ${code}: ${message} (request ${requestId})\n`.trimStart());
  exit(1);
}
