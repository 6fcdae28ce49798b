import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkingCopy } from '../support/checkout.js';
import { Program, run } from '../support/program.js';

const MAP = 'src/app.module.ts';

let copy: WorkingCopy;

beforeAll(async () => {
  copy = await WorkingCopy.make();
});
afterAll(() => copy.remove());

const edit = async (file: string, change: (text: string) => string) => {
  const path = join(copy.path, file);
  const text = await readFile(path, 'utf8');
  const edited = change(text);
  expect(edited).not.toBe(text);
  await writeFile(path, edited);
};

async function passes(...commands: (readonly [program: string, ...args: string[]])[]): Promise<void> {
  for (const [program, ...args] of commands) {
    const { code, stdout, stderr } = await copy.npx(program, ...args);
    const output = code === 0 ? '' : stdout + stderr;
    expect({ program, code, output }).toEqual({ program, code: 0, output: '' });
  }
}

const TYPES = ['typescript/bin/tsc', '--noEmit'] as const;
const FLOORS = [
  'dependency-cruiser/bin/dependency-cruise.mjs',
  ...['--config', '.dependency-cruiser.mjs', 'src', 'embedded-postgres'],
] as const;

/** Runs work on the built service, which must start. */
async function started(work: (url: string, key: string) => Promise<void>): Promise<void> {
  expect(await copy.run('tools/scripts/build.mjs', [])).toMatchObject({ code: 0 });
  const program = new Program(join(copy.path, 'dist/src/main.js'), [], {
    cwd: copy.path,
    env: { PORT: '0' },
  });
  await program.prints(/listens[^]*\n$/);
  const [, url = ''] = /(http:\S+)\/docs/.exec(program.stdout) ?? [];
  const [, key = ''] = /enterprise +(petstore_\w+)/.exec(program.stdout) ?? [];
  await work(url, key);
  program.signal('SIGINT');
  expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
}

/** Suites of the platform that need a feature to try: they bring their own. The snapshots are updated first. */
const TEST_WITHOUT_SHOP = `
  UPDATE_OPENAPI=true npm test -- openapi-snapshot
  UPDATE_ERRORS=true npm test -- docs/errors 'promises/(caching|client-errors|contract|deprecation|errors|etag|events|http)' \
    'promises/(field-errors|hostile-input|idempotency|int64|openapi|problem-json|scopes)\\.' deploy/monitoring \
    docs/commands 'test/(completion|events|key|ordinary-nest-global|start)\\.'`;

describe('A service without a feature of the shop', () => {
  it.each([
    ['webhooks', 'WebhooksModule', /^webhooks/],
    ['categories', 'CategoriesModule', /^categories/],
    ['store', 'StoreModule', /^orders/],
    ['pets', 'PetsModule', /^pets?[.-]/],
  ])('builds, passes types, and starts: %s', async (feature, module, tests) => {
    await rm(join(copy.path, 'src', feature), { recursive: true });
    for (const file of await readdir(join(copy.path, 'test')))
      if (tests.test(file)) await rm(join(copy.path, 'test', file));
    await edit(MAP, (text) =>
      text
        .replace(new RegExp(`^import .*'\\./${feature}/.*\\n`, 'm'), '')
        .replace(new RegExp(`\\s*\\b${module}\\b,?`), ''),
    );
    await passes(TYPES);
    await started(async (url, key) => {
      const headers = { Authorization: `Bearer ${key}` };
      expect((await fetch(`${url}/v1/events`, { headers })).status).toBe(200);
      const document = await (await fetch(`${url}/openapi.json`)).text();
      expect(document).not.toContain(`"/${feature}`);
    });
  });
});

describe('A service without the shop', () => {
  it('passes lint rules that refer to its features', () => passes(FLOORS));

  it('passes the suites of the platform', async () => {
    await edit('src/kernel/service.ts', (text) => text.replace('/v1/pets?limit=3', '/v1/events?limit=3'));
    await copy.type(TEST_WITHOUT_SHOP);
  });
});

const FERRETS = {
  'ferrets.module.ts': `
    import { Controller, Get, Module } from '@nestjs/common';
    import { ApiErrors, DomainError, eventType, RequireScope } from '../platform.js';
    import { FerretResponse } from './ferret.response.js';

    class FerretAsleep extends DomainError {
      static override readonly help = { meaning: 'The ferret sleeps.', action: 'Wait.' };
      constructor() {
        super('conflict', 'ferret_asleep', 'The ferret sleeps.');
      }
    }

    export const FERRET_WOKEN = eventType('ferret.woken', FerretResponse, { description: 'A ferret was woken.' });

    @Controller({ path: 'ferrets', version: '1' })
    class FerretsController {
      @Get()
      @RequireScope('ferrets:wake')
      @ApiErrors(new FerretAsleep())
      wake(): FerretResponse {
        throw new FerretAsleep();
      }
    }

    @Module({ controllers: [FerretsController] })
    export class FerretsModule {}`,
  'ferret.response.ts': `
    import { ApiProperty, ApiSchema } from '@nestjs/swagger';

    @ApiSchema({ name: 'Ferret' })
    export class FerretResponse {
      @ApiProperty({ description: 'Its name.', example: 'Zip' })
      readonly name!: string;

      static from({ name }: { readonly name: string }): FerretResponse {
        return { name };
      }
    }`,
};

describe('A feature with its own scope, event type and error', () => {
  it('needs only its folder and its line in the module list', async () => {
    const folder = join(copy.path, 'src/ferrets');
    await mkdir(folder);
    for (const [file, text] of Object.entries(FERRETS)) await writeFile(join(folder, file), text);
    await edit(
      MAP,
      (text) =>
        `import { FerretsModule } from './ferrets/ferrets.module.js';\n${text.replace(/FEATURES[^=]*= \[/, '$&FerretsModule, ')}`,
    );
    await passes(TYPES, FLOORS);
    await started(async (url, key) => {
      const headers = { Authorization: `Bearer ${key}` };
      const response = await fetch(`${url}/v1/ferrets`, { headers });
      expect(await response.json()).toMatchObject({ code: 'ferret_asleep', status: 409 });
      const { scopes } = (await (await fetch(`${url}/v1/key`, { headers })).json()) as { scopes: string[] };
      expect(scopes).toContain('ferrets:wake');
      expect((await fetch(`${url}/v1/events?type=ferret.woken`, { headers })).status).toBe(200);
      expect(await (await fetch(`${url}/docs/errors`)).text()).toContain('The ferret sleeps.');
      const args = ['keys', 'create', '--plan', 'free', '--name', 'x', '--scopes', 'ferrets:wake', '--json'];
      const { stdout } = await run(join(copy.path, 'bin/petstore.js'), args, { cwd: copy.path });
      expect(JSON.parse(stdout)).toMatchObject({ scopes: ['ferrets:wake'] });
    });
  });
});
