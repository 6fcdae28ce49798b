import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkingCopy } from '../support/checkout.js';
import type { Ended } from '../support/program.js';

const MAP = 'src/features.ts';

let workingCopy: WorkingCopy;
let copy: string;
let before: Map<string, string>;

beforeAll(async () => {
  workingCopy = await WorkingCopy.make();
  copy = workingCopy.path;
  before = await contents();
});
afterAll(() => workingCopy.remove());

/** The contents of each file in the copy, by path. */
async function contents(): Promise<Map<string, string>> {
  const entries = await readdir(copy, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)));
}

const generate = (...args: string[]) => workingCopy.run('tools/generators/generate.mjs', args);

function expectSuccess({ code, stdout, stderr }: Ended): void {
  expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
}

describe('npm run generate with impossible requests', () => {
  it.each([
    ['Categories', [], /must be kebab-case/],
    ['../categories', [], /must be kebab-case/],
    ['categories', ['--singular=a category'], /--singular must be kebab-case/],
    ['lost-mice', [], /The singular of "lost-mice" is unknown/],
    ['classes', [], /"class" has another meaning/],
    ['pets', [], /src\/pets already exists/],
    ['orders', [], /already creates a table orders/],
    ['api-keys', [], /already creates a table api_keys/],
    ['lost-posts', ['--singular=post'], /A class Post would collide/],
    ['lost-things', ['--singular=pet'], /already describes a Pet\b/],
    ['responses', [], /A variable response would collide/],
    ['lost-things', ['--singular=condition'], /A variable condition would collide/],
    ['items', [], /test\/items\/item\S+ has routes or a table named items/],
    ['categories', ['toys'], /One name is needed/],
    ['categories', ['--colour=red'], /Unknown option '--colour'/],
  ])('refuses %s %j with a message, and writes nothing', async (name, options, reason) => {
    const { code, stdout, stderr } = await generate(name, ...options);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(reason),
    });
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(await contents()).toEqual(before);
  });

  it('takes ordinary nouns, which no fixture of the suites has', async () => {
    const nouns = `owners prices labels litters leashes quotes parcels kennels breeders visits
      stays loans books members fines reservations appointments vaccinations invoices opening-hours`;
    for (const noun of nouns.split(/\s+/)) expectSuccess(await generate(noun, '--dry-run'));
  });

  it('only lists files on a dry run', async () => {
    const dry = await generate('lost-mice', '--singular=lost-mouse', '--dry-run');
    expectSuccess(dry);
    expect(dry.stdout).toContain('src/lost-mice/lost-mouse.entity.ts');
    expect(await contents()).toEqual(before);
  });
});

// A name that no other module has.
describe('npm run generate -- lost-gloves', () => {
  beforeAll(async () => {
    expectSuccess(await generate('lost-gloves'));
  });

  it('adds the module to the list of features, and changes no other file', async () => {
    const after = await contents();
    const changed = [...before.keys()].filter((file) => after.get(file) !== before.get(file));
    expect(changed.sort()).toEqual([join(copy, 'migrations/index.ts'), join(copy, MAP)].sort());
    const line = "import { LostGlovesModule } from './lost-gloves/lost-gloves.module.js';\n";
    const [old = '', now = ''] = [before, after].map((all) => all.get(join(copy, MAP)));
    expect(now).toContain(line);
    expect(now).toMatch(/const MODULES: readonly Feature\[\] = \[[^\]]*\bLostGlovesModule\b/);
    const words = (text: string) => text.match(/\w+/g); // a list that is too long for its line is wrapped
    expect(words(now.replace(line, '').replace('LostGlovesModule', ''))).toEqual(words(old));
  });

  it('does not overwrite it', async () => {
    const { code, stderr } = await generate('lost-gloves');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/already exists/) });
  });
});
