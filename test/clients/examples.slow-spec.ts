import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
    const webhooksRead = () => petstore.log.filter(({ route }) => route === '/v1/webhooks').length;
    const before = webhooksRead();
    const code = `${program}\n${asynchronous}\nimport asyncio\nassert "Rex" in asyncio.run(names())\n`;
    const env = { ...environment(await petstore.key()), PYTHONPATH: join(ROOT, 'clients/python/src') };
    const child = runPython(['-c', code], env);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([stdout, stderr]).toEqual([expect.stringMatching(README), '']);
    expect(webhooksRead()).toBe(before + 1); // a list that nobody iterates sends nothing
  });

  describe('import_pets.py', () => {
    let folder: Awaited<ReturnType<typeof emptyFolder>>;

    beforeAll(async () => (folder = await emptyFolder()));
    afterAll(() => folder.remove());

    const SCRIPT = join(ROOT, 'clients/examples/python/import_pets.py');
    const started = async (content: string | Buffer, env: Record<string, string>, ...options: string[]) => {
      const file = join(folder.path, 'pets.csv');
      await writeFile(file, content);
      return runPython([...options, SCRIPT, file], {
        ...env,
        PYTHONPATH: join(ROOT, 'clients/python/src'),
        PYTHONUTF8: '1',
      });
    };
    const ended = async (program: Awaited<ReturnType<typeof started>>) => {
      const [stdout, stderr, [code]] = await Promise.all([
        text(program.stdout),
        text(program.stderr),
        once(program, 'close'),
      ]);
      return { stdout, stderr, code: code as number };
    };
    const importOf = async (key: string, ...lines: string[]) => {
      petstore.clock.advance(2_000); // after which the key may send ten batches again
      const content = `\uFEFFname,category_id,status\r\n${lines.join('\r\n')}\r\n`;
      return ended(await started(content, environment(key)));
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

    itWithPython('names every line that is no pet, as the file counts, before it adds any', async () => {
      const { code, stderr } = await importOf(
        await petstore.key(),
        'Bea 1,1,',
        '"Bea\n2",1_0,',
        '',
        'Bea 3,9223372036854775808,gone',
        `${'x'.repeat(201)},1,`,
        ' ,1,',
        'Bea 4,1,sold,brown',
        'Bea 5',
      );
      expect([code, stderr.split('\n')]).toEqual([
        1,
        [
          "line 3: category_id must be an integer of 64 bits, not '1_0'",
          "line 6: category_id must be an integer of 64 bits, not '9223372036854775808'",
          "line 6: status must be available, pending, sold or empty, not 'gone'",
          'line 7: name must have 1 to 200 characters, not 201',
          'line 8: name must not be blank or contain U+0000',
          'line 9: has 4 values for the 3 columns',
          'line 10: has 1 values for the 3 columns',
          '',
        ],
      ]);
      expect(await imported('Bea')).toBe(0);
    });

    /** Where the tests run in the background, Ctrl-C is ignored from the start. */
    const WITH_CTRL_C =
      'import runpy, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); ' +
      'del sys.argv[0]; runpy.run_path(sys.argv[0], run_name="__main__")';

    const COLUMNS = 'line 1: must be name,category_id or name,category_id,status, not';
    const REFUSED: [string, string | Buffer, string][] = [
      ['is empty', '', 'pets.csv is empty.'],
      ['has no header', 'Rex,1\n', `${COLUMNS} 'Rex,1'`],
      ['has semicolons', 'name;category_id\nRex;1\n', `${COLUMNS} 'name;category_id'`],
      ['writes its columns otherwise', 'Name,category_id\nRex,1\n', `${COLUMNS} 'Name,category_id'`],
      ['has another column', 'name,category_id,colour\nRex,1,red\n', `${COLUMNS} 'name,category_id,colour'`],
      [
        'is not UTF-8',
        Buffer.from('name,category_id\nZo\xEB,1\n', 'latin1'),
        'line 2: is not UTF-8; save the file as CSV UTF-8',
      ],
      [
        'closes no quotation mark',
        'name,category_id\n"Rex,1\n',
        'line 2: is not CSV (unexpected end of data)',
      ],
    ];
    for (const [what, content, sentence] of REFUSED)
      itWithPython(`refuses a file that ${what}, in one sentence`, async () => {
        const { code, stderr } = await ended(await started(content, environment(`${PREFIX}_unused`)));
        expect([code, stderr]).toEqual([1, expect.stringMatching(/^[^\n]+\n$/)]);
        expect(stderr).toContain(sentence);
      });

    itWithPython(
      'adds each pet once if a line that the service refused is mended and it is run again',
      async () => {
        const key = await petstore.key();
        const lines = Array.from({ length: 250 }, (_, i) => `Cleo ${i},1,`);
        const refused = await importOf(key, ...lines.with(229, '\uFEFF,1,')); // blank for the service, not for Python
        expect([refused.code, refused.stderr]).toEqual([
          1,
          expect.stringMatching(
            /^200 pets were added, then the service refused \(request [0-9a-f]{32}\):\nline 231: name must [^\n]+\n$/,
          ),
        ]);
        expect(await importOf(key, ...lines)).toMatchObject({ code: 0, stdout: '250 pets were added.\n' });
        expect(await imported('Cleo')).toBe(250);
      },
    );

    itWithPython('refuses lines that have changed since their pets were added', async () => {
      const key = await petstore.key();
      const lines = Array.from({ length: 150 }, (_, i) => `Dora ${i},1,`);
      await importOf(key, ...lines);
      const { code, stderr } = await importOf(key, ...lines.with(120, 'Dora the other,1,'));
      expect([code, stderr]).toEqual([
        1,
        'lines 102 to 151: something has changed since pets of these lines were added; ' +
          'restore them or, if this is another file, give it a --run of its own\n',
      ]);
      expect(await imported('Dora')).toBe(150);
    });

    itWithPython(
      'says until when it waits for the quota, and how far it was when it is stopped',
      async () => {
        const server = createServer((request, response) => {
          request.resume();
          const headers = { 'Content-Type': 'application/json', 'Retry-After': '3600' };
          response.writeHead(429, headers).end('{"code":"rate_limit_exceeded","message":"No.","status":429}');
        }).listen(0, '127.0.0.1');
        await once(server, 'listening');
        const { port } = server.address() as AddressInfo;
        const env = { PETSTORE_URL: `http://127.0.0.1:${port}/v1`, PETSTORE_API_KEY: `${PREFIX}_unused` };
        const program = await started('name,category_id\nRex,1\n', env, '-c', WITH_CTRL_C);
        try {
          const [said] = (await once(program.stderr, 'data')) as [Buffer];
          program.kill('SIGINT');
          const { code, stderr } = await ended(program);
          expect([code, `${String(said)}${stderr}`]).toEqual([
            130,
            expect.stringMatching(
              /^0 of 1, waits for the quota until \w+ \d\d:\d\d:\d\d\nStopped after 0 of 1 pets: run it again to add the others\.\n$/,
            ),
          ]);
        } finally {
          program.kill('SIGKILL');
          server.closeAllConnections();
          server.close();
        }
      },
    );
  });

  itWithPython('says how to install the client where it is missing', async () => {
    for (const name of ['main.py', 'import_pets.py', 'webhook_receiver.py']) {
      const program = runPython(['-S', join(ROOT, 'clients/examples/python', name)], {});
      expect(await text(program.stderr)).toBe(
        "No module named 'petstore': install the client with " +
          'python3 -m venv .venv && . .venv/bin/activate && pip install ./clients/python\n',
      );
    }
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
