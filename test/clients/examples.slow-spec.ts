import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { transformFile } from '@swc/core';
import { installPackedClient } from '../support/packed-client.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder, run } from '../support/program.js';
import { itWithPython, runPython } from '../support/python.js';
import { readText } from '../support/repository.js';
import { codeBlocks } from '../support/shell-blocks.js';
import { PREFIX } from '../support/prefix.js';

const ROOT = join(import.meta.dirname, '../..');
const BEYOND_NUMBERS = '9007199254740993';

let petstore: Petstore;
let url: string;

beforeAll(async () => {
  petstore = await Petstore.start({ env: { PUBLIC_URL: '' } });
  url = `${await petstore.app.getUrl()}/v1`;
  await petstore.query(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex ' || n, n, 'available' FROM generate_series(1, 120) n`,
  );
});

afterAll(() => petstore.stop());

const environment = (key: string) => ({ PETSTORE_URL: url, PETSTORE_API_KEY: key });
const namesIn = (printed: string) => printed.split('\n').map((line) => line.split('\t')[2]);
const NAMES = Array.from({ length: 120 }, (_, i) => `Rex ${i + 1}`);

/** What the programs of the READMEs print first and last. */
const README = /^\d+n? Rex [^]*\nenterprise \d+ \d+ [0-9a-f]{32}\n$/;

describe('clients/examples/typescript, with the client as packed by npm', () => {
  let folder: Awaited<ReturnType<typeof emptyFolder>>;
  let files: string[];

  beforeAll(async () => {
    folder = await emptyFolder();
    files = await installPackedClient(folder.path);
    const { code } = await transformFile(join(ROOT, 'clients/examples/typescript/main.ts'), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    });
    await writeFile(join(folder.path, 'main.mjs'), code);
  });

  afterAll(() => folder.remove());

  const example = async (key: string, ...args: string[]) =>
    run(join(folder.path, 'main.mjs'), args, { cwd: folder.path, env: environment(key) });

  it('contains the built client and nothing else', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'dist/index.d.mts',
        'dist/index.d.ts',
        'dist/index.js',
        'dist/index.mjs',
        'dist/package.json',
        'package.json',
      ]),
    );
    const built =
      /^(LICENSE|README\.md|package\.json|dist\/package\.json|dist\/index\.(mjs|d\.mts)|dist\/.*\.(js|d\.ts))$/;
    expect(files.filter((path) => !built.test(path))).toEqual([]);
  });

  it('visits every pet', async () => {
    const { code, stdout } = await example(await petstore.key(), 'list');
    expect([code, namesIn(stdout).slice(0, 120)]).toEqual([0, NAMES]);
  });

  it('adds a pet, and keeps all digits of an identifier', async () => {
    const { stdout } = await example(await petstore.key(), 'add', 'Zoë', BEYOND_NUMBERS);
    expect(stdout).toMatch(/^Zoë has the id \d+\.\n$/);
    const rows = await petstore.query(
      `SELECT 1 FROM pets WHERE name = 'Zoë' AND category_id = ${BEYOND_NUMBERS}`,
    );
    expect(rows).toHaveLength(1);
  });

  it('runs the program of its README unchanged', async () => {
    const [program = ''] = codeBlocks(readText('clients/typescript/README.md'), 'ts');
    await writeFile(join(folder.path, 'readme.mjs'), program);
    const surroundings = { cwd: folder.path, env: environment(await petstore.key()) };
    const ended = await run(join(folder.path, 'readme.mjs'), [], surroundings);
    expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(README) as unknown });
  });

  it('ends with one line and exit code 1 if a request is refused', async () => {
    const { code, stderr } = await example(`${PREFIX}_wrong`, 'list');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^401 invalid_api_key: .+\n$/)]);
  });
});

describe('clients/examples/python', () => {
  const example = (key: string, ...args: string[]) =>
    runPython([join(ROOT, 'clients/examples/python/main.py'), ...args], {
      ...environment(key),
      PYTHONPATH: join(ROOT, 'clients/python/src'),
      PYTHONUTF8: '1',
    });

  itWithPython('visits every pet', async () => {
    const printed = await text(example(await petstore.key(), 'list', '--status', 'available').stdout);
    expect(namesIn(printed).slice(0, 120)).toEqual(NAMES);
  });

  itWithPython('adds a pet, and keeps all digits of an identifier', async () => {
    const printed = await text(example(await petstore.key(), 'add', 'Chloë', BEYOND_NUMBERS).stdout);
    expect(printed).toMatch(/^Chloë has the id \d+\.\n$/);
    const rows = await petstore.query(
      `SELECT 1 FROM pets WHERE name = 'Chloë' AND category_id = ${BEYOND_NUMBERS}`,
    );
    expect(rows).toHaveLength(1);
  });

  itWithPython('runs the programs of its client README unchanged', async () => {
    const [program = '', asynchronous = ''] = codeBlocks(readText('clients/python/README.md'), 'python');
    const code = `${program}\n${asynchronous}\nimport asyncio\nassert "Rex" in asyncio.run(names())\n`;
    const env = { ...environment(await petstore.key()), PYTHONPATH: join(ROOT, 'clients/python/src') };
    const child = runPython(['-c', code], env);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([stdout, stderr]).toEqual([expect.stringMatching(README), '']);
  });

  describe('import_pets.py', () => {
    let folder: Awaited<ReturnType<typeof emptyFolder>>;

    beforeAll(async () => (folder = await emptyFolder()));
    afterAll(() => folder.remove());

    const importOf = async (key: string, ...lines: string[]) => {
      const file = join(folder.path, 'pets.csv');
      await writeFile(file, `\uFEFFname,category_id,status\r\n${lines.join('\r\n')}\r\n`);
      const program = runPython([join(ROOT, 'clients/examples/python/import_pets.py'), file], {
        ...environment(key),
        PYTHONPATH: join(ROOT, 'clients/python/src'),
        PYTHONUTF8: '1',
      });
      const [stdout, stderr] = await Promise.all([text(program.stdout), text(program.stderr)]);
      return { stdout, stderr, code: program.exitCode ?? ((await once(program, 'close'))[0] as number) };
    };
    const imported = async (prefix: string) =>
      (await petstore.query(`SELECT 1 FROM pets WHERE name LIKE $1`, [`${prefix}%`])).length;

    itWithPython('adds every pet of a CSV file, and none again when it is run again', async () => {
      const key = await petstore.key();
      const lines = [
        '"Ada, the ""first one""",9223372036854775807,sold',
        ...Array.from({ length: 249 }, (_, i) => `"Ada\n${i}",1,`),
      ];
      const done = { code: 0, stderr: '', stdout: '250 pets were added.\n' };
      expect(await importOf(key, ...lines)).toEqual(done);
      expect(await importOf(key, ...lines)).toEqual(done);
      expect(await imported('Ada')).toBe(250);
      const [first] = await petstore.query(
        `SELECT name, category_id::text AS category, status FROM pets WHERE name LIKE 'Ada, the%'`,
      );
      expect(first).toEqual({
        name: 'Ada, the "first one"',
        category: '9223372036854775807',
        status: 'sold',
      });
    });

    itWithPython('names the line that is no pet before it adds any', async () => {
      const { code, stderr } = await importOf(await petstore.key(), 'Bea 1,1,', 'Bea 2,one,');
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^line 3: .+one.+\n$/)]);
      expect(await imported('Bea')).toBe(0);
    });

    itWithPython('says how many pets were added, and which one the service refuses', async () => {
      const lines = Array.from({ length: 120 }, (_, i) => `${i === 110 ? '' : `Cleo ${i}`},1,`);
      const { code, stderr } = await importOf(await petstore.key(), ...lines);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/pets were added, [^]*pets\.110\.name/)]);
    });
  });

  itWithPython('has a receiver that says why it refuses a message', async () => {
    const receiver = runPython(['-u', join(ROOT, 'clients/examples/python/webhook_receiver.py')], {
      PYTHONPATH: join(ROOT, 'clients/python/src'),
      WEBHOOK_SECRET: 'whsec_c2VjcmV0',
      PORT: '0',
    });
    const stderr = text(receiver.stderr);
    const [line] = (await once(receiver.stdout, 'data')) as [Buffer];
    const address = /http\S+/.exec(String(line))?.[0] ?? '';
    const headers = {
      'webhook-id': 'a',
      'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}`,
      'webhook-signature': 'v1,YQ==',
    };
    expect((await fetch(address, { method: 'POST', body: '{}', headers })).status).toBe(400);
    receiver.kill();
    expect(await stderr).toMatch(
      /^Refused a message: invalid_signature: No signature is valid\. Check the secret .+\n$/,
    );
  });

  itWithPython('ends with one line and exit code 1 if a request is refused', async () => {
    const program = example(`${PREFIX}_wrong`, 'list');
    expect(await text(program.stderr)).toMatch(/^401 invalid_api_key: .+\n$/);
    expect(program.exitCode ?? (await once(program, 'close'))[0]).toBe(1);
  });
});
