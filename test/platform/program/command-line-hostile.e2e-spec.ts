import { petstore as inThisProcess } from '../../support/command-line.js';
import { emptyFolder, type Ended } from '../../support/program.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';

/** Characters that could control a terminal, or disguise a line as another one. */
const CONTROLS = {
  'an escape': '\u001b[31mred',
  'a line break': 'a\n2   forged   pro',
  'a carriage return': 'a\rb',
  'a tab': 'a\tb',
  'a backspace': 'a\bb',
  'a C1 control': 'a\u009b31mb',
  DEL: 'a\u007fb',
  'a line separator': 'a\u2028b',
  'a right-to-left override': 'a\u202eb',
  'an isolate': 'a\u2066b',
  'a lone surrogate': 'a\ud800b',
};
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let database: TestDatabase;

beforeAll(async () => {
  [folder, database] = await Promise.all([emptyFolder(), createTestDatabase()]);
});
afterAll(() => Promise.all([folder.remove(), database.drop()]));

const petstore = (...args: string[]): Promise<Ended> => inThisProcess(args, { DATABASE_URL: database.url });

function expectErrorResponse({ code, stdout, stderr }: Ended, message: RegExp, expected = 2): void {
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
  expect(stderr).toMatch(/^petstore: [^\n]*\n$/);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(RAW);
}

describe('the name of a key', () => {
  it.each(Object.entries(CONTROLS))('with %s is refused in one line', async (_, name) => {
    const created = await petstore('keys', 'create', '--plan', 'free', '--name', name);
    expectErrorResponse(created, /A name has 1 to 200 visible characters/);
    expectErrorResponse(await petstore('keys', 'update', '1', '--name', name), /visible characters/);
  });

  it.each(["Zoë's shop", '店舗', '👩‍👩‍👧 family', 'مرحبا', 'a  b', '"quoted" \\ back'])(
    'may be %s',
    async (name) => {
      const { code } = await petstore('keys', 'create', '--plan', 'free', '--name', name);
      expect(code).toBe(0);
      expect((await petstore('keys', 'list')).stdout).toContain(name);
    },
  );
});

describe('an unsafe name already in the database', () => {
  let id: string;

  beforeAll(async () => {
    const { stdout } = await petstore('keys', 'create', '--plan', 'free', '--name', 'first', '--json');
    id = String((JSON.parse(stdout) as { id: number }).id);
    await petstore('keys', 'update', id, '--name', 'second'); // for the history
    await withClient(database.url, async (client) => {
      await client.query('ALTER TABLE api_key_history DISABLE TRIGGER ALL'); // the trigger prevents editing the history
      const bad = 'a\u001b[31m\nb\u009b\u202e';
      await client.query('UPDATE api_keys SET name = $1 WHERE id = $2', [bad, id]);
      await client.query(`UPDATE api_key_history SET os_user = $1, command = $1 WHERE key_id = $2`, [
        bad,
        id,
      ]);
      await client.query('ALTER TABLE api_key_history ENABLE TRIGGER ALL');
    });
  });

  const SHOWN = 'a\\u001b[31m\\u000ab\\u009b\\u202e';

  it.each([['list'], ['show'], ['history']])('is shown escaped by petstore keys %s', async (command) => {
    const { code, stdout } = await petstore('keys', command, ...(command === 'list' ? [] : [id]));
    expect(code).toBe(0);
    expect(stdout).toContain(SHOWN);
    expect(stdout).not.toMatch(RAW);
  });

  it.each([['list'], ['show'], ['history']])(
    'is preserved by %s --json, which also escapes it',
    async (command) => {
      const { stdout } = await petstore('keys', command, ...(command === 'list' ? [] : [id]), '--json');
      expect(stdout).not.toMatch(RAW);
      expect(JSON.stringify(JSON.parse(stdout))).toContain(
        JSON.stringify('a\u001b[31m\nb\u009b\u202e').slice(1, -1),
      );
    },
  );

  it('can be corrected', async () => {
    const { code, stdout } = await petstore('keys', 'update', id, '--name', 'third');
    expect(code).toBe(0);
    expect(stdout).not.toMatch(RAW);
    expect((await petstore('keys', 'history', id)).stdout).not.toMatch(RAW);
  });
});
