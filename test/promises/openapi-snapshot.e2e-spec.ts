import { readFile, writeFile } from 'node:fs/promises';
import { SNAPSHOT, SNAPSHOT_ENV, UPDATING } from '../support/openapi-snapshot.js';
import { Petstore } from '../support/petstore.js';

describe('GET /openapi.yaml', () => {
  it('is docs/openapi.yaml; after an intended change, npm run openapi:snapshot updates it', async () => {
    const petstore = await Petstore.start({ env: SNAPSHOT_ENV });
    const { text } = await petstore.client().get('/openapi.yaml').expect(200);
    await petstore.stop();
    if (UPDATING) await writeFile(SNAPSHOT, text);
    expect(text).toBe(await readFile(SNAPSHOT, 'utf8'));
  });
});
