import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { emptyFolder, type Ended, run } from '../support/program.js';
import { createTestDatabase } from '../support/test-database.js';

const ROOT = join(import.meta.dirname, '../..');
const LEFT_OUT = ['node_modules', 'dist', '.git', '.petstore', 'coverage'];
const MAP = 'src/app.module.ts';
const TIME = 120_000; // milliseconds, many times what it takes: compilers run here, beside other suites

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let copy: string;
let before: Map<string, string>;

beforeAll(async () => {
  folder = await emptyFolder();
  copy = folder.path;
  await cp(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  before = await contents();
}, TIME);
afterAll(() => folder.remove());

/** What each file of the copy holds, by its path. */
async function contents(): Promise<Map<string, string>> {
  const entries = await readdir(copy, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}

/** A program of the copy. */
const runHere = (script: string, args: readonly string[], env?: Record<string, string>): Promise<Ended> =>
  run(script, args, { cwd: copy, env });

const generate = (...args: string[]) => runHere('generators/generate.mjs', args);
const npmBinary = (path: string, ...args: string[]) => runHere(join('node_modules', path), args);

function expectSuccess({ code, stdout, stderr }: Ended): void {
  expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
}

describe('npm run generate, asked for what it cannot do', () => {
  it.each([
    ['Categories', [], /must be kebab-case/],
    ['../categories', [], /must be kebab-case/],
    ['categories', ['--singular=a category'], /--singular must be kebab-case/],
    ['lost-mice', [], /What is one of "lost-mice"\?/],
    ['classes', [], /"class" has another meaning/],
    ['pets', [], /src\/pets is there already/],
    ['orders', [], /already creates a table orders/],
    ['lost-posts', ['--singular=post'], /A class Post would collide/],
    ['lost-things', ['--singular=pet'], /already describes a Pet\b/],
    ['categories', ['toys'], /One name is needed/],
    ['categories', ['--colour=red'], /Unknown option '--colour'/],
  ])(
    'refuses %s %j in words, and writes nothing',
    async (name, options, reason) => {
      const { code, stdout, stderr } = await generate(name, ...options);
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(reason),
      });
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(await contents()).toEqual(before);
    },
    TIME,
  );

  it(
    'only tells what it would write when that is all it is to do',
    async () => {
      const dry = await generate('lost-mice', '--singular=lost-mouse', '--dry-run');
      expectSuccess(dry);
      expect(dry.stdout).toContain('src/lost-mice/lost-mouse.entity.ts');
      expect(await contents()).toEqual(before);
    },
    TIME,
  );
});

// A name that nobody's own module will have.
describe('npm run generate -- lost-gloves', () => {
  let created: string[];
  let types: Promise<Ended>;
  let lint: Promise<Ended>;

  beforeAll(async () => {
    expectSuccess(await generate('lost-gloves'));
    created = [...(await contents()).keys()].filter((file) => !before.has(file));
    // Side by side: these two take most of the time.
    types = npmBinary('typescript/bin/tsc', '-p', 'tsconfig.json');
    lint = npmBinary('eslint/bin/eslint.js', '--max-warnings=0', ...created, MAP);
  }, TIME);

  it('writes a module, its migration and its tests', () => {
    const names = created.map((file) => file.slice(copy.length + 1).replace(/\d{13}/, '<timestamp>'));
    expect(names.sort()).toEqual([
      'migrations/<timestamp>-create-lost-gloves.ts',
      'src/lost-gloves/dto/create-lost-glove.dto.ts',
      'src/lost-gloves/dto/lost-glove.response.ts',
      'src/lost-gloves/lost-glove.entity.ts',
      'src/lost-gloves/lost-glove.errors.ts',
      'src/lost-gloves/lost-gloves.controller.ts',
      'src/lost-gloves/lost-gloves.module.ts',
      'src/lost-gloves/lost-gloves.service.ts',
      'test/lost-gloves.e2e-spec.ts',
    ]);
  });

  it('adds the module to the list of features, and changes nothing else that was there', async () => {
    const after = await contents();
    const changed = [...before.keys()].filter((file) => after.get(file) !== before.get(file));
    expect(changed).toEqual([join(copy, MAP)]);
    const line = "import { LostGlovesModule } from './lost-gloves/lost-gloves.module.js';\n";
    const [old = '', now = ''] = [before, after].map((all) => all.get(join(copy, MAP)));
    expect(now).toContain(line);
    expect(now).toMatch(/const FEATURES = \[[^\]]*\bLostGlovesModule\b/);
    const words = (text: string) => text.match(/\w+/g); // a list that has grown too long for its line is broken
    expect(words(now.replace(line, '').replace('LostGlovesModule', ''))).toEqual(words(old));
  });

  it('leaves nothing of the template behind', async () => {
    const texts = await Promise.all(created.map((file) => readFile(file, 'utf8')));
    expect(texts.join('')).not.toMatch(/pet[-_ ]?toy/i);
    expect(texts.join('')).not.toContain('0000000000000');
  });

  it('does not write over it a second time', async () => {
    const { code, stderr } = await generate('lost-gloves');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/is there already/) });
  });

  it(
    'passes lint, and is formatted',
    async () => {
      expectSuccess(await npmBinary('prettier/bin/prettier.cjs', '--check', ...created, MAP));
      expectSuccess(await lint);
    },
    TIME,
  );

  it(
    'passes the type check, is built, and passes its own tests on the migrated tables',
    async () => {
      expectSuccess(await types);
      const database = await createTestDatabase();
      try {
        expectSuccess(await migrate(database.url));
        expectSuccess(await testOn(database.url));
      } finally {
        await database.drop();
      }
    },
    TIME,
  );

  const migrate = (url: string) =>
    runHere('--input-type=module', [
      '-e',
      "import { migrate } from './dist/src/database/migrations/migrate.js'; await migrate(process.argv[1]);",
      url,
    ]);

  /** On the server that runs already, and on tables of which the server's own template lacks the new one. */
  async function testOn(url: string): Promise<Ended> {
    const template = new URL(url).pathname.slice(1);
    const config = join(copy, 'jest.running-server.config.mjs');
    await writeFile(
      config,
      `import config from './jest.config.mjs';
       const { globalSetup, globalTeardown, ...rest } = config;
       export default rest;`,
    );
    const server = Object.assign(new URL(url), { pathname: '/postgres' }).href;
    const jest = ['node_modules/jest/bin/jest.js', '--config', config, '--ci', 'lost-gloves'];
    return runHere('--experimental-vm-modules', jest, {
      PETSTORE_TEST_SERVER: server,
      PETSTORE_TEST_TEMPLATE: template,
    });
  }
});
