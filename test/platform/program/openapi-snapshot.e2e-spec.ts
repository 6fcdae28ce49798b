import { readFile, writeFile } from 'node:fs/promises';
import { freePort } from '../../support/free-port.js';
import { SNAPSHOT, SNAPSHOT_ENV, UPDATING } from '../../support/openapi-snapshot.js';
import { ServiceProcesses } from '../../support/service-process.js';
import { createTestDatabase } from '../../support/test-database.js';

describe('GET /openapi.yaml', () => {
  it('is docs/openapi.yaml; after an intended change, npm run openapi:snapshot updates it', async () => {
    const database = await createTestDatabase();
    // In its own process, because modules of other suites declare scopes and event types in this one.
    const port = await freePort();
    const processes = await ServiceProcesses.on(database.url, { ...SNAPSHOT_ENV, PORT: String(port) });
    await processes.start();
    const response = await fetch(`http://127.0.0.1:${port}/openapi.yaml`);
    const text = await response.text();
    await processes.stop();
    await database.drop();
    expect({ status: response.status, text }).toEqual({ status: 200, text }); // before it replaces the file
    if (UPDATING) await writeFile(SNAPSHOT, text);
    expect(text).toBe(await readFile(SNAPSHOT, 'utf8'));
  });
});
