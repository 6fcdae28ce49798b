import { once } from 'node:events';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as client from '../../clients/typescript/src/index.js';
import { installFromRegistry } from '../support/from-registry.js';
import { installPackedClient, runIn } from '../support/packed-client.js';
import { emptyFolder } from '../support/program.js';
import { itWithPython, runPython } from '../support/python.js';
import { readText } from '../support/repository.js';
import { codeBlocks } from '../support/shell-blocks.js';

const ROOT = join(import.meta.dirname, '../..');

describe('clients/typescript, as packed by npm', () => {
  it('has types for a program in Node.js, and for one in a browser', async () => {
    const folder = await emptyFolder();
    await installPackedClient(folder.path);
    for (const types of ['@types', 'undici-types'])
      await symlink(join(ROOT, 'node_modules', types), join(folder.path, 'node_modules', types));
    await cp(join(ROOT, 'clients/examples/typescript/main.ts'), join(folder.path, 'main.mts'));
    await writeFile(
      join(folder.path, 'page.mts'),
      `import { PetstoreClient, RateLimitError, type Pet } from 'petstore-client';
         const client = new PetstoreClient({ url: location.origin + '/v1', apiKey: 'x' });
         for await (const pet of client.pets.list({ status: 'sold' })) { const id: bigint = pet.id; console.log(id); }
         const { signal } = new AbortController();
         export const rex: Pet = await client.pets.create({ name: 'Rex', categoryId: 7n }, { signal });
         export const seconds = (error: RateLimitError): number | undefined => error.retryAfter;
         // @ts-expect-error -- a number may have lost digits
         await client.pets.create({ name: 'Rex', categoryId: 7 });
         // @ts-expect-error -- no such status
         client.pets.list({ status: 'gone' });`,
    );
    const options = ['--noEmit', '--strict', '--target', 'ES2023', '--module', 'nodenext'];
    await runIn(
      folder.path,
      'tsc',
      ...options,
      '--lib',
      'ES2023,DOM',
      '--exactOptionalPropertyTypes',
      'page.mts',
    );
    await cp(
      join(ROOT, 'clients/examples/typescript/webhook-receiver.ts'),
      join(folder.path, 'receiver.mts'),
    );
    const [program, events, webhook] = codeBlocks(readText('clients/typescript/README.md'), 'ts');
    await writeFile(join(folder.path, 'readme.mts'), `${program}\n${events}`);
    await writeFile(
      join(folder.path, 'readme-webhook.mts'),
      `declare const body: string, request: Request;\n${webhook}`,
    );
    const inNode = ['main.mts', 'receiver.mts', 'readme.mts', 'readme-webhook.mts'];
    await runIn(
      folder.path,
      'tsc',
      ...options,
      '--lib',
      'ES2023',
      '--types',
      'node',
      '--noUnusedLocals',
      ...inNode,
    );
    const load = `const { PetstoreClient, NotFoundError } = require('petstore-client');
      import('petstore-client').then((es) =>
        console.log(typeof PetstoreClient, es.NotFoundError === NotFoundError, Object.keys(es).sort().join()));`;
    const exported = Object.keys(client).sort().join();
    expect(await runIn(folder.path, process.execPath, '--input-type=commonjs', '--eval', load)).toBe(
      `function true ${exported}\n`,
    );
    expect(await readdir(join(folder.path, 'clients/typescript'))).not.toContain('dist'); // packing leaves nothing behind
    await folder.remove();
  });
});

/** The newest TypeScript, and the last one before it that many programs still have. */
describe.each(['5.9.3', '7.0.2'])(
  'clients/typescript, in a project that tsc --init of TypeScript %s has made',
  (version) => {
    let folder: Awaited<ReturnType<typeof emptyFolder>>;
    let compiler: string;

    beforeAll(async () => {
      folder = await emptyFolder();
      const tools = join(folder.path, 'tools');
      await mkdir(tools);
      await installFromRegistry(tools, `typescript@${version}`);
      await installPackedClient(folder.path);
      for (const types of ['@types', 'undici-types'])
        await symlink(join(ROOT, 'node_modules', types), join(folder.path, 'node_modules', types));
      compiler = join(tools, 'node_modules/typescript/bin/tsc');
      await runIn(folder.path, process.execPath, compiler, '--init');
      const [program = '', events = '', webhook = ''] = codeBlocks(
        readText('clients/typescript/README.md'),
        'ts',
      );
      const samples = {
        main: readText('clients/examples/typescript/main.ts'),
        receiver: readText('clients/examples/typescript/webhook-receiver.ts'),
        readme: `${program}\n${events}`,
        webhook: `declare const body: string, request: Request;\n${webhook}`,
        // A caller may give undefined for all that can be left out.
        undefined: `import { PetstoreClient, verifyWebhook } from 'petstore-client';
        const client = new PetstoreClient({ ids: undefined, url: undefined, runtime: undefined });
        client.pets.list({ status: undefined, ids: undefined, limit: undefined, cursor: undefined });
        await client.pets.create({ name: 'Rex', categoryId: 1n, status: undefined }, { signal: undefined });
        await client.webhooks.update(1n, { types: undefined, state: 'disabled' });
        await verifyWebhook(new ArrayBuffer(0), new Headers(), '', { tolerance: undefined, now: undefined });`,
      };
      for (const [name, sample] of Object.entries(samples)) {
        await mkdir(join(folder.path, 'es'), { recursive: true });
        await mkdir(join(folder.path, 'common'), { recursive: true });
        await writeFile(join(folder.path, 'es', `${name}.mts`), sample);
        await writeFile(join(folder.path, 'common', `${name}.cts`), withoutTopLevelAwait(sample));
      }
    });
    afterAll(() => folder.remove());

    const compiles = async (files: string, ...options: string[]) => {
      const settings = { extends: '../tsconfig.json', compilerOptions: { types: ['node'], noEmit: true } };
      await writeFile(join(folder.path, files, 'tsconfig.json'), JSON.stringify(settings));
      const args = [compiler, '-p', files, ...options];
      return runIn(folder.path, process.execPath, ...args).catch(
        (error: unknown) => (error as { stdout: string }).stdout,
      );
    };

    it('compiles with all samples, as ES modules', async () => {
      expect(await compiles('es')).toBe('');
    });

    it('compiles with all samples, as CommonJS', async () => {
      expect(await compiles('common', '--verbatimModuleSyntax', 'false')).toBe(''); // otherwise a CommonJS file has no `import`
    });
  },
);

/** CommonJS has none. */
function withoutTopLevelAwait(sample: string): string {
  const isAtTop = (line: string) => /^(import|declare) /.test(line);
  const lines = sample.split('\n');
  return [
    ...lines.filter(isAtTop),
    'export async function main() {',
    ...lines.filter((line) => !isAtTop(line)),
    '}',
  ].join('\n');
}

describe('clients/python', () => {
  itWithPython(
    'builds a wheel and a source distribution, and nothing else',
    async () => {
      const folder = await emptyFolder();
      const source = join(folder.path, 'source');
      const ours = (path: string) => !path.endsWith('__pycache__');
      await cp(join(ROOT, 'clients/python'), source, { recursive: true, filter: ours });
      const before = await readdir(source, { recursive: true });
      const build = ['-m', 'build', '--no-isolation', '--skip-dependency-check', '--wheel', '--sdist'];
      const program = runPython([...build, '--outdir', '../out', '.'], {}, source);
      const [said, , [code]] = await Promise.all([
        text(program.stderr),
        text(program.stdout),
        once(program, 'close'),
      ]);
      expect([code, said]).toEqual([0, said]);
      expect(await readdir(source, { recursive: true })).toEqual(before);
      const out = join(folder.path, 'out');
      const [wheel = '', archive] = (await readdir(out)).sort();
      expect([wheel, archive]).toEqual([
        expect.stringMatching(/-py3-none-any\.whl$/),
        expect.stringMatching(/\.tar\.gz$/),
      ]);
      const files = await text(runPython(['-m', 'zipfile', '-l', join(out, wheel)], {}).stdout);
      for (const file of ['petstore/__init__.py', 'petstore/_sync/pets.py', 'petstore/py.typed', 'LICENSE'])
        expect(files).toContain(file);
      expect(files).not.toContain('tests/');
      const used = runPython(['-c', 'import petstore; print(petstore.__version__, petstore.__file__)'], {
        PYTHONPATH: join(out, wheel),
      });
      expect(await text(used.stdout)).toMatch(/^\d+\.\d+\.\d+ .*\.whl/);
      await folder.remove();
    },
    ['build', 'hatchling'],
  );

  itWithPython(
    'has types that mypy accepts and that distinguish events',
    async () => {
      const folder = await emptyFolder();
      await writeFile(join(folder.path, 'shop.py'), SHOP);
      await symlink(join(ROOT, 'clients/python/src/petstore'), join(folder.path, 'petstore'));
      const mypy = ['-m', 'mypy', '--strict', '--cache-dir', 'cache', 'petstore', 'shop.py'];
      const program = runPython(mypy, {}, folder.path);
      const [said, failed] = await Promise.all([text(program.stdout), text(program.stderr)]);
      expect([said, failed]).toEqual([
        expect.stringMatching(/^Success: no issues found in \d+ source files\n$/),
        '',
      ]);
      await folder.remove();
    },
    ['mypy'],
  );
});

const SHOP = `
import petstore

def names(client: petstore.PetstoreClient) -> list[str]:
    return [pet.name for pet in client.pets.list(status="sold")]

async def first(client: petstore.AsyncPetstoreClient) -> petstore.Pet:
    page = await client.pets.list(limit=1).page()
    return page.items[0]

def pet_of(event: petstore.WebhookEvent) -> int | None:
    if event.type == "order.placed":
        return event.data.pet_id
    if event.type == "pet.status_changed":
        return event.data.id if event.data.previous_status == "sold" else None
    return event.data.name  # type: ignore[union-attr, return-value]  # what is left has no name, or a text
`;
