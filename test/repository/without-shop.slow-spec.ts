import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '../../src/platform/clock/duration.js';
import { WorkingCopy } from '../support/checkout.js';
import { Program } from '../support/program.js';

let copy: WorkingCopy;

beforeAll(async () => {
  copy = await WorkingCopy.make();
  await rm(join(copy.path, 'src/shop'), { recursive: true });
  await rm(join(copy.path, 'test/shop'), { recursive: true });
  await mkdir(join(copy.path, 'test/shop'));
  const list = join(copy.path, 'src/app.module.ts');
  const text = await readFile(list, 'utf8');
  await writeFile(
    list,
    text.replace(/^import .*'\.\/shop\/.*\n/gm, '').replace(/\s*\b(Pets|Categories|Store)Module\b,/g, ''),
  );
  await copy.type('node tools/generators/generate.mjs toys');
});
afterAll(() => copy.remove());

/** The platform knows nothing of the shop: another one may stand in its place. */
describe('a service whose only feature is a generated one', () => {
  it('compiles without type errors', () => copy.type('npx --no-install tsc --noEmit'));

  it(
    'passes the tests of that feature and those of the platform about routes, errors and the document',
    () => copy.type("npm test -- test/shop 'behaviour/(errors|event-feed|openapi)\\.'"),
    minutes(30),
  );

  it('starts and serves that feature', async () => {
    const program = new Program(join(copy.path, 'dist/src/main.js'), [], {
      cwd: copy.path,
      env: { PORT: '0' },
    });
    await program.prints(/listens[^]*\n$/);
    const [, url = ''] = /(http:\S+)\/docs/.exec(program.stdout) ?? [];
    const [, key = ''] = /enterprise +(petstore_\w+)/.exec(program.stdout) ?? [];
    const status = async (path: string) =>
      (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } })).status;
    expect([await status('/v1/toys'), await status('/v1/pets')]).toEqual([200, 404]);
    program.signal('SIGINT');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });
});
