import { Petstore } from '../support/petstore.js';
import { itWithPython } from '../support/python.js';
import { runSample } from '../support/run-sample.js';

type Samples = Readonly<Record<string, string>>;
interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples'?: readonly { readonly label: string; readonly source: string }[];
}

let petstore: Petstore;
let key: string;
let samples: Map<string, Samples>;

beforeAll(async () => {
  petstore = await Petstore.start();
  key = await petstore.key();
  await petstore.query(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available')`);
  const { body } = await petstore.client().get('/openapi.json').expect(200);
  const { paths } = body as { paths: Record<string, Record<string, Operation>> };
  const address = await petstore.app.getUrl();
  samples = new Map(
    Object.values(paths)
      .flatMap((path) => Object.values(path))
      .map(({ operationId, 'x-codeSamples': list = [] }) => [
        operationId,
        Object.fromEntries(
          list.map(({ label, source }) => [label, source.replaceAll('http://petstore.test', address)]),
        ),
      ]),
  );
});
afterAll(() => petstore.stop());

/** What a sample prints: JSON. */
async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runSample(command, args, { PETSTORE_API_KEY: key });
  expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringMatching(/^[[{]/) as unknown });
  return stdout;
}

const OPERATIONS = {
  listPets: 'Rex',
  createPet: 'Rex',
  getPet: 'Rex',
  listOrders: '[',
  listEvents: 'pet.created',
  getRateLimit: 'enterprise',
};

describe.each(Object.entries(OPERATIONS))('the samples of %s', (id, part) => {
  const sample = (language: string) => samples.get(id)?.[language] ?? '';

  it('work with curl', async () => {
    expect(await run('sh', ['-c', sample('curl').replace(/^curl/, 'curl -sS')])).toContain(part);
  });

  it('work in Node.js', async () => {
    expect(await run(process.execPath, ['--input-type=module', '--eval', sample('TypeScript')])).toContain(
      part,
    );
  });

  itWithPython(`work in Python (${id})`, async () => {
    expect(await run('python3', ['-c', sample('Python')])).toContain(part);
  });
});
