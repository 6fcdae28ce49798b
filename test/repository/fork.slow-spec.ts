import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '../../src/platform/kernel/clock/duration.js';
import { WorkingCopy } from '../support/checkout.js';
import { Program } from '../support/program.js';
import { readText } from '../support/repository.js';

const PREFIX = 'courier';

const page = readText('docs/forks.md');
/** A block of the page. @param name the comment before it */
const commands = (name: string): string =>
  new RegExp(`<!-- ${name} -->\n\n\`\`\`sh\n([^]*?)\n\`\`\``).exec(page)?.[1] ??
  `echo no block ${name}; false`;
/** Newer than any that the page may name. */
const NEXT = 'v99.0.0';
const merge = commands('merge').replace(/^NEXT=v\d+\.\d+\.\d+$/m, `NEXT=${NEXT}`);

const AUTHOR = ['GIT_AUTHOR_NAME', 'GIT_COMMITTER_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_EMAIL']
  .map((name) => `export ${name}=test@example.com`)
  .join('; ');

let copy: WorkingCopy;
const type = (shell: string) => copy.type(`${AUTHOR}\n${shell}`);
const at = (path: string) => join(copy.path, path);
const edit = async (path: string, change: (text: string) => string) => {
  const text = await readFile(at(path), 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`Nothing has changed in ${path}.`);
  await writeFile(at(path), changed);
};

/** What the next version may do: it changes files that the service removed, keeps, takes and shares, and adds others. */
async function makeNextVersion(): Promise<void> {
  await edit('package.json', (text) =>
    text
      .replace(/"version": "[^"]+"/, `"version": "${NEXT.slice(1)}"`)
      .replace('"audit":', '"again": "true",\n    "audit":'),
  );
  await edit('package-lock.json', (text) =>
    text.replace(/"version": "[^"]+"/, `"version": "${NEXT.slice(1)}"`),
  );
  await edit('CHANGELOG.md', (text) => text.replace(/^## /m, `## [${NEXT.slice(1)}]\n\n## `));
  await edit('README.md', (text) => text.replace(/^# .*/, '# Another title'));
  await edit('service.json', (text) => text.replace('list pets', 'list all pets'));
  await edit('src/app.module.ts', (text) => `// The next version.\n${text}`);
  await edit('src/features.ts', (text) =>
    text
      .replace('StoreModule]', 'StoreModule, ReviewsModule]')
      .replace(/^export/m, "import { ReviewsModule } from './shop/reviews/reviews.module.js';\n\nexport"),
  );
  await edit('src/shop/pets/pets.service.ts', (text) => `// The next version.\n${text}`);
  await edit('src/platform/events/events.controller.ts', (text) =>
    text.replace(/summary: '([^']+)'/, "summary: '$1, in the next version'"),
  );
  await edit('src/app.released-parameters.ts', (text) =>
    text.replace('listPets', 'listReviews: ["a", "b"],\n  listPets'),
  );
  await edit('docs/openapi.yaml', (text) => text.replace(/^info:/m, 'x-next: true\ninfo:'));
  await edit('docs/errors.md', (text) => `${text}\nThe next version.\n`);
  await edit('docs/running.md', (text) => `${text}\nThe next version.\n`);
  await edit('docs/tutorial.md', (text) => `${text}\nThe next version.\n`);
  await edit('test/released/openapi.yaml', (text) => `# The next version.\n${text}`);
  await edit('clients/typescript/src/error-codes.ts', (text) => `// The next version.\n${text}`);
  await edit('deploy/prometheus/alerts.yml', (text) =>
    text.replace('petstore_redis_up == 0', 'petstore_redis_up < 1'),
  );
  const migration = '9000000000000-next';
  await writeFile(
    at(`migrations/${migration}.ts`),
    `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Next9000000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("CREATE FUNCTION next_version() RETURNS integer LANGUAGE sql AS 'SELECT 2'");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION next_version()');
  }
}
`,
  );
  await appendFile(at('migrations/index.ts'), `export * from './${migration}.js';\n`);
  await type(`mkdir -p src/shop/reviews && echo 'export class ReviewsModule {}' >src/shop/reviews/reviews.module.ts
    echo 'it.todo("reviews");' >test/shop/reviews.e2e-spec.ts
    git add -A && git commit -qm 'The next version' && git tag ${NEXT}`);
}

/** As its author does, with the commands of the page. */
async function makeService(): Promise<void> {
  await type(commands('begin'));
  await edit('service.json', (text) =>
    text
      .replace('"Pet Store"', '"Courier"')
      .replace('"pet store"', '"courier"')
      .replace('/v1/pets?limit=3', '/v1/parcels')
      .replace('"petstore"', `"${PREFIX}"`),
  );
  await edit('package.json', (text) =>
    text.replace('petstore-service', 'courier').replace('pet store', 'courier'),
  );
  await writeFile(at('README.md'), '# Courier\n');
  await type(commands('metrics'));
  await type('npm run generate -- parcels');
  await type(documented);
  await type("git add -A && git commit -qm 'A courier'");
}

/** Without what is checked below, after the merge. */
const documented = commands('document').replace(/^npm run format.*$/m, '');

beforeAll(async () => {
  copy = await WorkingCopy.make();
  await type(`git init -q -b main . && echo node_modules >.git/info/exclude
    git add -A && git commit -qm 'This version'
    git checkout -qb upstream-main`);
  await makeNextVersion();
  await type(`git checkout -q main
    git remote add upstream . && git fetch --quiet upstream`);
  await makeService();
}, minutes(20));
afterAll(() => copy.remove());

describe('a service made from this one, as docs/forks.md says', () => {
  it(
    'merges the next version without a conflict that the page does not name',
    async () => {
      // The packages are those that are installed here.
      await type(merge.replace(/^npm install$/m, ''));
      await type(
        'test -z "$(git diff --name-only --diff-filter=U)" && test -z "$(git ls-files src/shop test/shop clients)"',
      );
      await type(`${commands('metrics')}\n${documented}\ngit add -A && git commit -qm 'Merge ${NEXT}'`);
      expect(await readFile(at('migrations/index.ts'), 'utf8')).toMatch(
        /create-parcels[^]*9000000000000-next|9000000000000-next[^]*create-parcels/,
      );
      const document = await readFile(at('docs/openapi.yaml'), 'utf8');
      expect(document).toMatch(/title: Courier/);
      expect(document).toMatch(/in the next version/);
      expect(document).not.toMatch(/x-next|^ {2}\/pets/m);
    },
    minutes(20),
  );

  it(
    'is formatted, keeps the order of its layers, and compiles',
    () =>
      type(
        'npm run lint:layers && npm run typecheck && npx prettier --check src docs && npx eslint src/*.ts src/features',
      ),
    minutes(20),
  );

  it('passes the whole suite', () => type('npm test'), minutes(60));

  it('starts, and serves its module and nothing of the shop', async () => {
    const program = new Program(at('dist/src/main.js'), [], { cwd: copy.path, env: { PORT: '0' } });
    await program.prints(/listens[^]*\n$/);
    const [, url = ''] = /(http:\S+)\/docs/.exec(program.stdout) ?? [];
    const [, key = ''] = new RegExp(`enterprise +(${PREFIX}_\\w+)`).exec(program.stdout) ?? [];
    const status = async (path: string) =>
      (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect([await status('/v1/parcels'), await status('/v1/pets')]).toEqual([200, 404]);
    program.signal('SIGINT');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('refuses to start with a prefix that a metric may not have', async () => {
    await edit('service.json', (text) => text.replace(`"prefix": "${PREFIX}"`, '"prefix": "my-shop"'));
    const { code, stderr } = await copy.run(at('dist/src/main.js'), [], { PORT: '0' });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^petstore: service\.json: prefix must be .*\.\n$/),
    });
  });
});
