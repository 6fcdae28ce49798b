import { Petstore } from '../../support/petstore.js';

let petstore: Petstore;
beforeAll(async () => {
  petstore = await Petstore.start();
});
afterAll(() => petstore.stop());

describe('GET /docs', () => {
  it.each(['/docs', '/docs/', '/docs/swagger-ui-init.js'])(
    'lets %s run only its own scripts, and forbids frames',
    async (path) => {
      const { headers } = await petstore.client().get(path).expect(200);
      const policy = headers['content-security-policy'];
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("connect-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  it('lets the page call the staging environment if there is one', async () => {
    const staged = await Petstore.start({ env: { STAGING_PUBLIC_URL: 'https://staging.petstore.test' } });
    const { headers } = await staged.client().get('/docs').expect(200);
    expect(headers['content-security-policy']).toContain("connect-src 'self' https://staging.petstore.test;");
    await staged.stop();
  });

  it('names demo keys only where the service has made them', async () => {
    const hint = 'npm start` prints demo keys';
    expect((await petstore.client().get('/docs/swagger-ui-init.js').expect(200)).text).toContain(hint);
    const deployed = await Petstore.start({ env: { DATABASE_URL: petstore.databaseUrl } });
    const { text } = await deployed.client().get('/docs/swagger-ui-init.js').expect(200);
    expect(text).not.toContain(hint);
    expect(text).toContain('who makes keys with `petstore keys create`');
    await deployed.stop();
  });

  it('has no inline script, because the policy forbids it', async () => {
    const { text } = await petstore.client().get('/docs').expect(200);
    expect(text).toContain('<script');
    for (const [, attributes, script] of text.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)) {
      expect(attributes).toContain('src=');
      expect(script?.trim()).toBe('');
    }
    expect(text).not.toMatch(/\son\w+=/);
  });
});
