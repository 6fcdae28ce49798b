import { Controller, Get, Module } from '@nestjs/common';
import { DomainError } from '../../src/platform/kernel/errors/domain-error.js';
import { ApiErrors } from '../../src/platform/kernel/errors/api-errors.decorator.js';
import { ErrorCatalog } from '../../src/platform/program/openapi/error-catalog/error-catalog.js';
import { Petstore } from '../support/petstore.js';
import { send, valuesOf } from '../support/wire.js';

class LeashTooShort extends DomainError {
  static override readonly help = { meaning: 'It is below 1 m.', action: 'Buy a `longer` one.' };

  constructor() {
    super('conflict', 'leash_too_short', 'The leash is < 1 m.');
  }
}

@Controller({ path: 'on-leashes', version: '1' })
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
  it('explains each code and what to do, with an example', async () => {
    const { status, body } = await send(petstore, { path: '/docs/errors' });
    expect(status).toBe(200);
    for (const { example } of petstore.app.get(ErrorCatalog).entries) {
      const { code } = example;
      const section = new RegExp(`<section id="${code}">[^]*?</section>`).exec(body)?.[0] ?? '';
      expect(section).toContain(`${example.status} `);
      expect(section).toContain('What to do:');
      const shown = /<pre[^>]*><code>([^]*)<\/code>/.exec(section)?.[1] ?? '';
      const json = shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(example)));
    }
  });

  it('lists what a module names with @ApiErrors()', async () => {
    const { body } = await send(petstore, { path: '/docs/errors' });
    expect(body).toContain('<section id="leash_too_short">');
    expect(body).toContain('The leash is &lt; 1 m.');
    expect(body).toContain('It is below 1 m.');
    expect(body).toContain('Buy a <code>longer</code> one.');
  });

  it('describes the codes of other exceptions', async () => {
    const { body } = await send(petstore, { path: '/docs/errors' });
    expect(body).toMatch(/Treat an unknown code like its status/);
  });

  it('runs no script', async () => {
    const response = await send(petstore, { path: '/docs/errors' });
    expect(valuesOf(response, 'Content-Security-Policy').join()).toContain("default-src 'none'");
    expect(response.body).not.toContain('<script');
  });
});
