import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { minutes } from '../../src/platform/kernel/clock/duration.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Load } from '../support/load.js';
import { emptyFolder, Program, run } from '../support/program.js';
import { Replicas } from '../support/replicas.js';
import { createTestDatabase } from '../support/test-database.js';
import { type } from '../support/type.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NAME = 'petstore-platform';
/** Newer than any that this repository may have. */
const NEXT = '99.0.0';
/** A plan of the service, and none of this one. */
const PLAN = 'gold';

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let service: string;
const at = (path: string) => join(service, path);

const npm = (...args: string[]) => type('npm', args, service);

async function edit(
  path: string,
  ...changes: (readonly [from: string | RegExp, to: string])[]
): Promise<void> {
  let text = await readFile(at(path), 'utf8');
  for (const [from, to] of changes) {
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${String(from)} is not in ${path}.`);
    text = changed;
  }
  await writeFile(at(path), text);
}

/** The package that the next version of the platform would be, with one more migration. */
async function packNext(): Promise<string> {
  const copy = join(folder.path, 'next');
  await cp(join(ROOT, 'dist/package'), copy, { recursive: true });
  const definition = await readFile(join(copy, 'package.json'), 'utf8');
  await writeFile(
    join(copy, 'package.json'),
    definition.replace(/"version": "[^"]+"/, `"version": "${NEXT}"`),
  );
  const migrations = join(copy, 'dist/src/platform/program/migrations');
  // Older than what the service has applied: it runs all the same.
  await writeFile(
    join(migrations, '1790000000000-next.js'),
    `export class Next1790000000000 {
  up = (runner) => runner.query("CREATE FUNCTION next_version() RETURNS integer LANGUAGE sql AS 'SELECT 2'");
  down = (runner) => runner.query('DROP FUNCTION next_version()');
}\n`,
  );
  await appendFile(join(migrations, 'list.js'), `\nexport * from './1790000000000-next.js';\n`);
  await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder.path, copy]);
  return join(folder.path, `${NAME}-${NEXT}.tgz`);
}

/** Gives the loans a book and a fee, as a person edits what was generated. */
async function relateLoans(): Promise<void> {
  const last = /\}\s*$/;
  await edit(
    'src/loans/loan.entity.ts',
    [" } from 'typeorm';", ", JoinColumn, ManyToOne } from 'typeorm';"],
    [
      "from 'petstore-platform';\n",
      "from 'petstore-platform';\nimport { Book } from '../books/book.entity.js';\n",
    ],
    [
      last,
      `
  @Column('bigint', { name: 'book_id' })
  bookId!: Int64;

  @ManyToOne(() => Book, { nullable: false, onDelete: 'CASCADE' })
  @JoinColumn({ name: 'book_id', foreignKeyConstraintName: 'loans_book_id_fkey' })
  book?: Book;

  @Column('numeric', { precision: 10, scale: 2 })
  fee!: string;
}
`,
    ],
  );
  await edit(
    'src/loans/dto/create-loan.dto.ts',
    ['{ Text }', '{ DecimalField, type Int64, Int64Field, Text }'],
    [
      last,
      `
  @Int64Field({ minimum: 1, description: 'The book.' })
  readonly bookId!: Int64;

  @DecimalField({ precision: 10, scale: 2, description: 'What it costs.' })
  readonly fee!: string;
}
`,
    ],
  );
  await edit(
    'src/loans/dto/loan.response.ts',
    ['{ type Int64,', '{ DecimalProperty, type Int64,'],
    [
      '  /** Its events',
      `  @Int64Property({ description: 'The book.', example: 7 })
  readonly bookId!: Int64;

  @DecimalProperty({ description: 'What it costs.', example: '1.50' })
  readonly fee!: string;

  /** Its events`,
    ],
    ["'id', 'name'", "'id', 'name', 'bookId', 'fee'"],
  );
  await writeFile(
    at('test/loans/loans.e2e-spec.ts'),
    `import { recordedEvents, TestService } from '../platform.js';

let testService: TestService;
beforeAll(async () => {
  testService = await TestService.start();
});
afterAll(() => testService.stop());

it('lends a book', async () => {
  const client = testService.client(await testService.key('${PLAN}', undefined, ['books:write', 'loans:write', 'loans:read']));
  const { body: book } = await client.post('/v1/books').send({ name: 'Emma' }).expect(201);
  const { body: loan } = await client.post('/v1/loans').send({ name: 'Ada', bookId: book.id, fee: '1.5' }).expect(201);
  expect(loan).toEqual({ id: expect.any(Number), name: 'Ada', bookId: book.id, fee: '1.50' });
  expect((await client.get(\`/v1/loans/\${loan.id}\`).expect(200)).body).toEqual(loan);
  expect(await recordedEvents(testService, { loan: loan.id })).toMatchObject([{ type: 'loan.created', data: loan }]);
  await client.post('/v1/loans').send({ name: 'Ada', bookId: book.id, fee: 1.5 }).expect(400);
  await client.get('/v1/books').expect(403);
});
`,
  );
}

/** The test runner of Node.js prints how many tests have passed and failed. */
const tally = (printed: string) =>
  ['pass', 'fail'].map((what) => new RegExp(`${what} (\\d+)`).exec(printed)?.[1]);

beforeAll(async () => {
  folder = await emptyFolder();
  await type(process.execPath, ['tools/package/pack.mjs'], ROOT);
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const parent = join(folder.path, 'with a space');
  await mkdir(parent);
  await cp(join(ROOT, `dist/${NAME}-${version}.tgz`), join(parent, `${NAME}.tgz`));
  service = join(parent, 'library');
  const begin = ['new', 'library', '--module', 'books', '--title', 'Lending Library'];
  await type('npm', ['exec', '--yes', '--package', `./${NAME}.tgz`, '--', NAME, ...begin], parent);
}, minutes(20));
afterAll(() => folder.remove());

describe('a service that installs the platform', () => {
  it(
    'is formatted, compiles, and passes its tests as it was begun',
    async () => {
      await type('npx', ['prettier', '--check', '.'], service);
      await npm('run', 'typecheck');
      expect(tally(await npm('test'))).toEqual(['37', '0']);
    },
    minutes(10),
  );

  it(
    'starts with npm start, and has its own names and plans, and nothing of this one',
    async () => {
      const port = String(await freePort());
      const program = new Program(at('node_modules/@nestjs/cli/bin/nest.js'), ['build'], { cwd: service });
      expect(await program.ended).toMatchObject({ code: 0 });
      const started = new Program(at('dist/src/main.js'), [], { cwd: service, env: { PORT: port } });
      await started.prints(/Ctrl-C stops it/);
      const key = new RegExp(`^ *${PLAN} +(library_\\w{49})$`, 'm').exec(started.stdout)?.[1];
      const get = async (path: string) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { Authorization: `Bearer ${key}` },
        });
        return { status: response.status, text: await response.text() };
      };
      const books = await get('/v1/books?limit=3'); // as the welcome text says
      const pages = await Promise.all(['/docs', '/docs/errors', '/openapi.json', '/metrics'].map(get));
      started.signal('SIGINT');
      expect(await started.ended).toMatchObject({ code: 0, stderr: '' });
      expect(started.stdout).toContain('The Lending Library service listens. Swagger UI');
      expect(started.stdout).toContain('/v1/books?limit=3');
      expect(books).toEqual({ status: 200, text: '[]' });
      expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(pages[0]?.text).toContain('Lending Library');
      expect(pages[2]?.text).toContain(`2 of them with the basic plan, 20 with ${PLAN}`);
      for (const { text } of [...pages, { text: started.stdout }])
        expect(text.match(/.{0,40}(\bpets?\b|petstore|enterprise).{0,40}/gi)).toBeNull();
    },
    minutes(5),
  );

  it(
    'takes a second module, with a relation and a decimal',
    async () => {
      await npm('run', 'generate', '--', 'loans');
      await relateLoans();
      expect(await npm('run', 'migration', '--', 'lend-books')).toMatch(
        /created +migrations\/\d+-lend-books\.ts/,
      );
      await npm('run', 'format');
      await npm('run', 'openapi:snapshot');
      await npm('run', 'typecheck');
      expect(tally(await npm('test'))).toEqual(['38', '0']);
    },
    minutes(10),
  );

  it(
    'takes the next version of the platform by npm install, under load, and passes its tests on it',
    async () => {
      const old = join(folder.path, 'old');
      await npm('run', 'build');
      await type('cp', ['-al', service, old], service);
      await rm(at('dist'), { recursive: true });
      await cp(await packNext(), at(`vendor/${NAME}-${NEXT}.tgz`));
      await npm('install', '--no-audit', '--no-fund', `./vendor/${NAME}-${NEXT}.tgz`);
      expect(tally(await npm('test'))).toEqual(['38', '0']);

      const database = await createTestDatabase('template1');
      const { url } = database;
      const command = (root: string, ...args: string[]) =>
        run(join(root, 'bin/library.js'), args, { cwd: root, env: { DATABASE_URL: url } });
      expect(await command(old, 'migrate')).toMatchObject({ code: 0 });
      const limits = ['--plan', 'custom', '--per-minute', '1000000', '--per-day', '10000000'];
      const { stdout } = await command(old, 'keys', 'create', '--name', 'load', ...limits, '--json');
      const { key } = JSON.parse(stdout) as { key: string };
      const replicas = await Replicas.start(2, url, join(old, 'dist/src/main.js'));
      const resource = { path: '/v1/books', body: '{"name":"Emma"}' };
      const load = new Load(replicas.balancer.port, key, 4, 4, '127.0.0.1', resource);
      const runsOn = async () => {
        const before = load.sent;
        await eventually(() => load.sent > before + 100);
      };
      try {
        await runsOn();
        expect(await command(service, 'migrate')).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('Next'),
        });
        await replicas.restart(
          runsOn,
          async (program) => {
            expect(await program.ended).toMatchObject({ code: 0 });
          },
          at('dist/src/main.js'),
        );
        await runsOn();
        expect(Object.keys(await load.stop()).sort()).toEqual(['GET 200', 'POST 201']);
      } finally {
        await load.stop();
        await replicas.stop();
        await database.drop();
      }
    },
    minutes(20),
  );

  it(
    'is told by its start that a shared package is not the one of the platform',
    async () => {
      await npm('install', '--force', '--no-save', '--ignore-scripts', 'typeorm@1.0.0');
      expect(await run(at('bin/library.js'), ['--version'], { cwd: service })).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^petstore-platform 99\.0\.0: typeorm 1\.0\.0 is installed, and .+ is needed\. Run.+\n$/,
        ),
      });
    },
    minutes(10),
  );
});
