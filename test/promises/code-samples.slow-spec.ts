import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeSamples, RUN_AS_THEY_STAND, type Samples } from '../support/code-samples.js';
import { installPackedClient, runIn } from '../support/packed-client.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder } from '../support/program.js';
import { itWithPython, runPython } from '../support/python.js';
import { runSample } from '../support/run-sample.js';
import { text } from 'node:stream/consumers';

const ROOT = join(import.meta.dirname, '../..');

let petstore: Petstore;
let samples: Map<string, Samples>;
let folder: Awaited<ReturnType<typeof emptyFolder>>;

beforeAll(async () => {
  petstore = await Petstore.start();
  samples = await codeSamples(petstore);
  folder = await emptyFolder();
  await installPackedClient(folder.path);
  for (const types of ['@types', 'undici-types'])
    await symlink(join(ROOT, 'node_modules', types), join(folder.path, 'node_modules', types));
});
afterAll(async () => {
  await petstore.stop();
  await folder.remove();
});
beforeEach(async () => {
  await petstore.query('TRUNCATE pets, orders, pet_reservations RESTART IDENTITY');
  await petstore.query(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'available')`);
});

const sampleOf = (id: string, language: string) => samples.get(id)?.[language] ?? '';

describe('the code samples in TypeScript', () => {
  it('have no type errors with the client as packed by npm', async () => {
    const files = [...samples].flatMap(([id, { TypeScript: source }]) =>
      source === undefined ? [] : [[`${id}.mts`, source] as const],
    );
    expect(files.length).toBeGreaterThan(10);
    for (const [name, source] of files) await writeFile(join(folder.path, name), source);
    const options = ['--noEmit', '--strict', '--target', 'ES2023', '--module', 'nodenext', '--types', 'node'];
    await runIn(folder.path, 'tsc', ...options, ...files.map(([name]) => name));
  });

  it.each(Object.entries(RUN_AS_THEY_STAND))('work: %s', async (id, part) => {
    const file = join(folder.path, `${id}.mjs`); // a sample has no types of its own
    await writeFile(file, sampleOf(id, 'TypeScript'));
    const { stdout, stderr } = await runSample(process.execPath, [file], {
      PETSTORE_API_KEY: await petstore.key(),
    });
    expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining(part) as unknown });
    expect(stderr).not.toContain('Error');
  });
});

describe('the code samples in Python', () => {
  const python = async (source: string) => {
    const program = runPython(['-c', source], {
      PETSTORE_API_KEY: await petstore.key(),
      PYTHONPATH: join(ROOT, 'clients/python/src'),
      PYTHONUTF8: '1',
    });
    const [stdout, stderr] = await Promise.all([text(program.stdout), text(program.stderr)]);
    return { stdout, stderr };
  };

  itWithPython('use existing methods and parameters of the client', async () => {
    const calls = [...samples.values()].flatMap(({ Python: source }) => source ?? []);
    expect(calls.length).toBeGreaterThan(10);
    // Binds the arguments of each call instead of sending it, because the standard library has no type checker.
    const check = `
import ast, inspect, json, sys, petstore
for source in json.loads(sys.argv[1]):
    method = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and ast.unparse(node).startswith("client."))
    target = petstore.PetstoreClient(url="http://127.0.0.1:1/v1")
    for name in ast.unparse(method.func).split(".")[1:]:
        target = getattr(target, name)
    inspect.signature(target).bind(*method.args, **{one.arg: one.value for one in method.keywords})
print("bound")`;
    const program = runPython(['-c', check, JSON.stringify(calls)], {
      PETSTORE_API_KEY: 'x',
      PYTHONPATH: join(ROOT, 'clients/python/src'),
    });
    const [stdout, stderr] = await Promise.all([text(program.stdout), text(program.stderr)]);
    expect({ stdout, stderr }).toEqual({ stdout: 'bound\n', stderr: '' });
  });

  for (const [id, part] of Object.entries(RUN_AS_THEY_STAND))
    itWithPython(`work: ${id}`, async () => {
      const { stdout, stderr } = await python(sampleOf(id, 'Python'));
      expect({ stdout, stderr }).toMatchObject({ stdout: expect.stringContaining(part) as unknown });
      expect(stderr).not.toContain('Error');
    });
});
