import { OPERATIONS } from '../../clients/typescript/src/operations.js';
import { codeSamples, RUN_AS_THEY_STAND, type Samples } from '../support/code-samples.js';
import { describeShop } from '../support/features.js';
import { Petstore } from '../support/petstore.js';
import { runSample } from '../support/run-sample.js';

let petstore: Petstore;
let samples: Map<string, Samples>;

beforeAll(async () => {
  petstore = await Petstore.start();
  await petstore.query(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available')`);
  samples = await codeSamples(petstore);
});
afterAll(() => petstore.stop());

describeShop()('the code samples', () => {
  it('start with curl, and include both clients if they have the operation', () => {
    const ofClients = Object.keys(OPERATIONS);
    expect([...samples.keys()].filter((id) => ofClients.includes(id)).length).toBeGreaterThan(10);
    for (const [id, sample] of samples) {
      const labels = ofClients.includes(id) ? ['curl', 'TypeScript', 'Python'] : ['curl'];
      expect({ id, labels: Object.keys(sample) }).toEqual({ id, labels });
    }
  });

  it.each(Object.entries(RUN_AS_THEY_STAND))('work with curl: %s', async (id, part) => {
    const curl = samples.get(id)?.curl?.replace(/^curl/, 'curl -sS') ?? '';
    const { stdout, stderr } = await runSample('sh', ['-c', curl], {
      PETSTORE_API_KEY: await petstore.key(),
    });
    expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringMatching(/^[[{]/) as unknown });
    expect(stdout).toContain(part);
  });
});
