import { Petstore } from '../support/petstore.js';
import { send, valuesOf } from '../support/wire.js';

let petstore: Petstore;
beforeAll(async () => {
  petstore = await Petstore.start();
});
afterAll(() => petstore.stop());

describe('GET /reference', () => {
  it('loads nothing from another host', async () => {
    for (const path of ['/reference', '/reference/reference-init.js', '/reference/reference.css']) {
      const response = await send(petstore, { path });
      expect(response.status).toBe(200);
      expect(response.body).not.toMatch(/(?<!www\.w3\.org\/)\bhttps?:\/\//);
    }
    const { body } = await send(petstore, { path: '/reference/redoc.standalone.js' });
    expect(body).not.toContain('cdn.redoc');
  });

  it('lets its own script create workers for the search, and nothing else', async () => {
    const [policy = ''] = valuesOf(await send(petstore, { path: '/reference' }), 'Content-Security-Policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; worker-src blob:;");
  });

  it.each(['package.json', 'redoc.standalone.js.map', 'index.js', '__proto__', '..%2fpackage.json'])(
    'serves only the files of the page, and no %s',
    async (name) => {
      expect((await send(petstore, { path: `/reference/${name}` })).status).toBe(404);
    },
  );
});
