import { Petstore } from '../support/petstore.js';
import { send, valuesOf } from '../support/wire.js';

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start();
});
afterAll(() => petstore.stop());

describe.each(['/docs', '/docs/swagger-ui-init.js'])('GET %s', (path) => {
  it('lets the page run and load nothing but what the service itself sends', async () => {
    const response = await send(petstore, { path });
    expect(response.status).toBe(200);
    const [policy = ''] = valuesOf(response, 'Content-Security-Policy');
    const directives = new Map(
      policy.split(';').map((one) => {
        const [name = '', ...sources] = one.trim().split(' ');
        return [name, sources];
      }),
    );
    expect(directives.get('default-src')).toEqual([`'none'`]);
    expect(directives.get('script-src')).toEqual([`'self'`]);
    expect(directives.get('frame-ancestors')).toEqual([`'none'`]);
    expect(valuesOf(response, 'X-Content-Type-Options')).toEqual(['nosniff']);
    expect(valuesOf(response, 'Referrer-Policy')).toEqual(['no-referrer']);
  });
});

describe('GET /docs', () => {
  it('has no script in its text, which the policy would not run', async () => {
    const { body } = await send(petstore, { path: '/docs' });
    expect(body).toContain('<script');
    for (const [, attributes, text] of body.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)) {
      expect(attributes).toContain('src=');
      expect(text?.trim()).toBe('');
    }
    expect(body).not.toMatch(/\son\w+=/);
  });
});
