import { access, appendFile, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { checkout } from '../support/checkout.js';
import { run } from '../support/program.js';

let folder: Awaited<ReturnType<typeof checkout>>;

beforeAll(async () => {
  folder = await checkout();
});
afterAll(() => folder.remove());

const at = (path: string) => join(folder.path, path);
const build = () => run(at('tools/scripts/build.mjs'), [], { cwd: folder.path });
const changed = async (path: string) => (await stat(at(path))).mtimeMs;
const isThere = (path: string) =>
  access(at(path)).then(
    () => true,
    () => false,
  );

describe('tools/scripts/build.mjs', () => {
  it('says in one line that the packages are not installed', async () => {
    await rename(at('node_modules'), at('elsewhere'));
    const built = await build();
    await rename(at('elsewhere'), at('node_modules'));
    expect(built).toEqual({ code: 1, stdout: '', stderr: 'The packages are not installed. Run: npm ci\n' });
  });

  it('compiles every source but the specs', async () => {
    expect(await build()).toEqual({ code: 0, stdout: 'Building…\n', stderr: '' });
    const sources = await readdir(at('src'), { recursive: true });
    const expected = sources.filter((name) => /\.[tj]s$/.test(name) && !/\.(spec|d)\.ts$/.test(name));
    const outputs = (await readdir(at('dist/src'), { recursive: true })).filter((name) =>
      name.endsWith('.js'),
    );
    expect(outputs.sort()).toEqual(expected.map((name) => name.replace(/\.ts$/, '.js')).sort());
  });

  it('may run several times at once', async () => {
    await rm(at('dist'), { recursive: true, force: true });
    const built = await Promise.all([build(), build(), build()]);
    expect(built.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      built.map(() => ({ code: 0, stderr: '' })),
    );
    const outputs = await readdir(at('dist'), { recursive: true });
    expect(outputs.filter((name) => !/\.(js|map|css|html|txt)$/.test(name) && name.includes('.'))).toEqual(
      [],
    );
  });

  it('says and compiles nothing the second time', async () => {
    const before = await changed('dist/src/main.js');
    expect(await build()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await changed('dist/src/main.js')).toBe(before);
  });

  it('compiles what has changed, and nothing else', async () => {
    const [main, cli] = [await changed('dist/src/main.js'), await changed('dist/src/cli.js')];
    await appendFile(at('src/cli.ts'), '// changed\n');
    expect(await build()).toMatchObject({ code: 0, stdout: 'Building…\n' });
    expect(await changed('dist/src/main.js')).toBe(main);
    expect(await changed('dist/src/cli.js')).toBeGreaterThan(cli);
  });

  it('compiles a change that is older than the output, such as one saved while the source was compiled', async () => {
    const [source, output] = [at('src/cli.ts'), at('dist/src/cli.js')];
    await appendFile(source, 'export const savedMeanwhile = true;\n');
    await utimes(source, 0, 0);
    await build();
    expect(await readFile(output, 'utf8')).toContain('savedMeanwhile');
  });

  it('copies what a browser gets as it is written', async () => {
    const theme = 'src/openapi/swagger-ui/browser/theme.css';
    await appendFile(at(theme), '/* changed */\n');
    expect(await build()).toMatchObject({ code: 0 });
    expect(await readFile(at(`dist/${theme}`), 'utf8')).toBe(await readFile(at(theme), 'utf8'));
  });

  it('removes the output of a source that is gone', async () => {
    await rm(at('migrations/1764547200000-create-pets.ts'));
    await build();
    expect((await readdir(at('dist/migrations'))).filter((name) => name.includes('create-pets'))).toEqual([]);
  });

  it('says where a source cannot be compiled, and leaves no output of it', async () => {
    await writeFile(at('src/broken.ts'), 'const a: = 1;\n');
    const { code, stderr } = await build();
    expect(code).toBe(1);
    expect(stderr).toMatch(/broken\.ts:1:1/);
    expect(stderr).not.toContain('Stack');
    expect(await isThere('dist/src/broken.js')).toBe(false);
    await rm(at('src/broken.ts'));
  });
});

describe('npm start', () => {
  it('says that a port is in use before it has built what it does not need for that', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await rm(at('dist'), { recursive: true, force: true });
    const { code, stdout, stderr } = await run(at('tools/scripts/start.mjs'), [], {
      cwd: folder.path,
      env: { PORT: String(port) },
    });
    server.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^petstore: Port ${port} is in use\\..+\\n$`));
    expect(await isThere('dist/src/main.js')).toBe(false);
  });
});
