import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkingCopy } from '../support/checkout.js';
import { apply, type Piece, piecesOf } from '../support/guide.js';
import type { Ended } from '../support/program.js';
import { readText } from '../support/repository.js';

const CHAPTERS = [
  { page: 'docs/extending.md', module: 'departments', tests: ['departments'] },
  { page: 'docs/extending-further.md', module: 'suppliers', tests: ['suppliers', 'deliveries'] },
];
/** As the generator leaves it, with a name that no other module has. generator.slow-spec.ts has its files. */
const GENERATED = 'lost-gloves';
/** What the pages promise of the routes, and do not show a test of. */
const MORE_TESTS = 'suppliers-as-promised.e2e-spec.ts';

let copy: WorkingCopy;
const pieces: Piece[] = [];
let types: Promise<Ended>;
let lint: Promise<Ended>;

beforeAll(async () => {
  copy = await WorkingCopy.make();
  expectSuccess(await copy.run('tools/generators/generate.mjs', [GENERATED]));
  for (const { page, module } of CHAPTERS) {
    expectSuccess(await copy.run('tools/generators/generate.mjs', [module]));
    for (const piece of piecesOf(readText(page))) {
      await apply(piece, copy.path);
      pieces.push(piece);
    }
  }
  await copyFile(join(copy.path, `test/docs/${MORE_TESTS}.template`), join(copy.path, `test/${MORE_TESTS}`));
  const written = pieces.map(({ path }) => path).filter((path) => /^(src|migrations|test)\//.test(path));
  expectSuccess(await copy.npx('prettier/bin/prettier.cjs', '--write', '--log-level=warn', ...written));
  types = copy.npx('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json');
  const tests = (await readdir(join(copy.path, 'test'))).filter((name) => /^(depart|deliv|suppl)/.test(name));
  const migrations = await readdir(join(copy.path, 'migrations'));
  const linted = [
    'src/departments',
    'src/suppliers',
    'src/bootstrap/demo',
    `src/${GENERATED}`,
    `test/${GENERATED}.e2e-spec.ts`,
    ...migrations.filter((name) => name.includes(GENERATED)).map((name) => `migrations/${name}`),
    'src/app.module.ts',
    ...tests.map((name) => `test/${name}`),
  ];
  lint = copy.npx('eslint/bin/eslint.js', '--max-warnings=0', ...linted);
  await Promise.all([types, lint]);
});
afterAll(() => copy.remove());

function expectSuccess({ code, stdout, stderr }: Ended): void {
  expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
}

describe('what docs/extending.md and docs/extending-further.md show', () => {
  it('is a piece in each chapter', () => {
    expect(pieces.length).toBeGreaterThan(40);
  });

  it('passes the type check, with a module as it is generated', async () => {
    expectSuccess(await types);
  });

  it('passes lint, and the floors of the house', async () => {
    expectSuccess(await lint);
    expectSuccess(
      await copy.npx(
        'dependency-cruiser/bin/dependency-cruise.mjs',
        '--config',
        '.dependency-cruiser.mjs',
        'src',
      ),
    );
  });

  it('works as the pages say, and so does a module as it is generated', async () => {
    expectSuccess(await copy.test(...CHAPTERS.flatMap(({ tests }) => tests), GENERATED));
  });

  it('keeps the promises of every operation', async () => {
    expectSuccess(await copy.test('promises/(contract|errors|openapi|migrations|authentication|http)\\.e2e'));
  });
});
