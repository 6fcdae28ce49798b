import { exec } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { installPackedClient, runIn } from '../support/packed-client.js';
import { emptyFolder } from '../support/program.js';
import { itWithPython, runPython } from '../support/python.js';
import { readText } from '../support/repository.js';
import { codeBlocks } from '../support/shell-blocks.js';

const ROOT = join(import.meta.dirname, '../..');
const TYPESCRIPT = join(ROOT, 'clients/typescript');

describe('clients/typescript', () => {
  it('has the types of the document; npm run openapi:snapshot regenerates them', async () => {
    const generate =
      '../../node_modules/.bin/openapi-typescript ../../docs/openapi.yaml --default-non-nullable=false';
    const format = '../../node_modules/.bin/prettier --stdin-filepath src/schema.ts';
    const { stdout } = await promisify(exec)(`${generate} | ${format}`, { cwd: TYPESCRIPT });
    expect(stdout).toBe(await readFile(join(TYPESCRIPT, 'src/schema.ts'), 'utf8'));
  });
});

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
    const load = `console.log(typeof require('petstore-client').PetstoreClient)`;
    expect(await runIn(folder.path, process.execPath, '--input-type=commonjs', '--eval', load)).toBe(
      'function\n',
    );
    expect(await readdir(join(folder.path, 'source'))).not.toContain('dist'); // packing leaves nothing behind
    await folder.remove();
  });
});

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
