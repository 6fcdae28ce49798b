import { Controller, Get, Module } from '@nestjs/common';
import { ERROR_CATALOG } from '../../src/app.errors.js';
import { DomainError } from '../../src/kernel/errors/domain-error.js';
import { ApiErrors } from '../../src/openapi/decorators/api-errors.decorator.js';
import { Petstore } from '../support/petstore.js';
import { send, valuesOf } from '../support/wire.js';

class LeashTooShort extends DomainError {
  constructor() {
    super('conflict', 'leash_too_short', 'The leash is < 1 m.');
  }
}

@Controller({ path: 'leashes', version: '1' })
class LeashesController {
  @Get()
  @ApiErrors(new LeashTooShort())
  list(): object {
    return {};
  }
}

@Module({ controllers: [LeashesController] })
class LeashesModule {}

let petstore: Petstore;
beforeAll(async () => {
  petstore = await Petstore.start({ modules: [LeashesModule] });
});
afterAll(() => petstore.stop());

describe('GET /docs/errors', () => {
  it.each(ERROR_CATALOG.map((entry) => [entry.example.code, entry] as const))(
    'says what %s means, what to do, and shows one',
    async (code, { example }) => {
      const { status, body } = await send(petstore, { path: '/docs/errors' });
      expect(status).toBe(200);
      const section = new RegExp(`<section id="${code}">[^]*?</section>`).exec(body)?.[0] ?? '';
      expect(section).toContain(`${example.status} `);
      expect(section).toContain('What to do:');
      const shown = /<pre[^>]*><code>([^]*)<\/code>/.exec(section)?.[1] ?? '';
      const json = shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(example)));
    },
  );

  it('lists what a module names with @ApiErrors()', async () => {
    const { body } = await send(petstore, { path: '/docs/errors' });
    expect(body).toContain('<section id="leash_too_short">');
    expect(body).toContain('The leash is &lt; 1 m.');
  });

  it('says what the codes of other exceptions are', async () => {
    const { body } = await send(petstore, { path: '/docs/errors' });
    expect(body).toMatch(/HTTP exception without a code[^]*<code>payment_required<\/code>/);
  });

  it('runs no script', async () => {
    const response = await send(petstore, { path: '/docs/errors' });
    expect(valuesOf(response, 'Content-Security-Policy').join()).toContain("default-src 'none'");
    expect(response.body).not.toContain('<script');
  });
});
