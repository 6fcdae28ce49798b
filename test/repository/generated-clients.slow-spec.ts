import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installFromRegistry } from '../support/from-registry.js';
import { runIn } from '../support/packed-client.js';
import { Petstore } from '../support/petstore.js';
import { emptyFolder } from '../support/program.js';

const ROOT = join(import.meta.dirname, '../..');

/** The newest versions that run on Node.js 20, with what the generated code needs. */
const PACKAGES = [
  'typescript@5.9.3',
  'esbuild@0.25.12',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'orval@7.9.0',
  '@hey-api/openapi-ts@0.92.2',
  'swagger-typescript-api@13.13.0',
  'openapi-zod-client@1.18.3',
  'openapi-typescript-codegen@0.31.0',
  'zod@3.25.76',
  '@zodios/core@10.9.6',
  'axios@1.13.2',
];

interface Generator {
  readonly name: string;
  readonly generate: readonly string[];
  /** A module whose `run()` adds a pet, changes it, and lists it. It returns the list. */
  readonly program: string;
}

const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    generate: ['openapi-typescript', 'openapi.yaml', '--default-non-nullable=false', '-o', 'schema.ts'],
    program: `
      import createClient from 'openapi-fetch';
      import type { paths } from './schema';
      const client = createClient<paths>({ baseUrl: URL, headers });
      export async function run() {
        const { data: pet } = await client.POST('/pets', { body: { name: 'Rex', categoryId: 1 } });
        if (!pet) throw new Error('no pet');
        const path = { petId: pet.id };
        await client.PATCH('/pets/{petId}', { params: { path }, body: { name: 'Max' } });
        const { data } = await client.GET('/pets', { params: { query: { ids: [pet.id] } } });
        return data;
      }`,
  },
  {
    name: 'orval, with its schemas of zod',
    generate: ['orval', '--config', './orval.config.cjs'],
    program: `
      import { createPet, listPets, updatePet } from './orval/client';
      import { createPetBody, listPetsResponse, updatePetBody, updateWebhookBody } from './orval/schemas';
      export async function run() {
        const { state, ...others } = updateWebhookBody.parse({ state: 'disabled' });
        if (Object.keys(others).length > 0) throw new Error('a default in a PATCH');
        const pet = await createPet(createPetBody.parse({ name: 'Rex', categoryId: 1 }), { headers });
        if (pet.status !== 201) throw new Error(String(pet.status));
        await updatePet(pet.data.id, updatePetBody.parse({ name: 'Max' }), { headers });
        const { data } = await listPets({ sort: '-id', limit: 1 }, { headers });
        return listPetsResponse.parse(data);
      }`,
  },
  {
    name: 'hey-api, with its schemas of zod',
    generate: [
      ...['openapi-ts', '-i', 'openapi.yaml', '-o', 'hey'],
      ...['-p', '@hey-api/client-fetch', '@hey-api/sdk', '@hey-api/typescript', 'zod'],
    ],
    program: `
      import { createPet, listPets, updatePet } from './hey';
      import { client } from './hey/client.gen';
      import { zPets, zWebhookChange } from './hey/zod.gen';
      client.setConfig({ baseUrl: URL, auth: KEY });
      export async function run() {
        if (JSON.stringify(zWebhookChange.parse({ state: 'disabled' })) !== '{"state":"disabled"}')
          throw new Error('a default in a PATCH');
        const { data: pet } = await createPet({ body: { name: 'Rex', categoryId: 1 } });
        if (!pet) throw new Error('no pet');
        await updatePet({ path: { petId: pet.id }, body: { name: 'Max' } });
        const { data } = await listPets({ query: { ids: [pet.id] } });
        zPets.parse(data);
        return data;
      }`,
  },
  {
    name: 'swagger-typescript-api',
    generate: ['swagger-typescript-api', 'generate', '-p', 'openapi.yaml', '-o', '.', '-n', 'api.ts'],
    program: `
      import { Api } from './api';
      const { pets } = new Api({ baseUrl: URL, baseApiParams: { headers } });
      export async function run() {
        const { data: pet } = await pets.createPet({ name: 'Rex', categoryId: 1 });
        await pets.updatePet(pet.id, { name: 'Max' });
        return (await pets.listPets({ ids: [pet.id] })).data;
      }`,
  },
  {
    name: 'openapi-zod-client',
    generate: ['openapi-zod-client', 'openapi.yaml', '-o', 'zod-client.ts'],
    program: `
      import { createApiClient } from './zod-client';
      const api = createApiClient(URL, { axiosConfig: { headers } });
      export async function run() {
        const pet = await api.createPet({ name: 'Rex', categoryId: 1 });
        await api.updatePet({ name: 'Max' }, { params: { petId: pet.id }, headers: { 'If-Match': '*' } });
        return api.listPets({ queries: { sort: '-id', limit: 1 } });
      }`,
  },
  {
    name: 'openapi-typescript-codegen',
    generate: ['openapi', '-i', 'openapi.yaml', '-o', 'codegen', '--client', 'fetch'],
    program: `
      import { OpenAPI, PetsService } from './codegen';
      OpenAPI.BASE = URL;
      OpenAPI.TOKEN = KEY;
      export async function run() {
        const pet = await PetsService.createPet({ name: 'Rex', categoryId: 1 });
        await PetsService.updatePet(pet.id, { name: 'Max' });
        return PetsService.listPets(20, undefined, 'id', undefined, undefined, [pet.id]);
      }`,
  },
];

const COMPILER_OPTIONS = [
  ...['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext'],
  ...['--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable', '--types', 'node'],
];

let folder: Awaited<ReturnType<typeof emptyFolder>>;
let petstore: Petstore;
/** What each program begins with, after its imports. */
let prelude: string;

const tool = (name: string, ...args: string[]) =>
  runIn(folder.path, join(folder.path, 'node_modules/.bin', name), ...args);

beforeAll(async () => {
  folder = await emptyFolder();
  await installFromRegistry(folder.path, ...PACKAGES);
  for (const types of ['@types/node', 'undici-types'])
    await symlink(join(ROOT, 'node_modules', types), join(folder.path, 'node_modules', types)).catch(
      () => undefined, // a generator has brought it
    );
  await copyFile(join(ROOT, 'docs/openapi.yaml'), join(folder.path, 'openapi.yaml'));
  petstore = await Petstore.start();
  const url = `${await petstore.app.getUrl()}/v1`;
  const key = await petstore.key('pro');
  prelude = `
    const [URL, KEY] = ['${url}', '${key}'];
    const headers = { Authorization: 'Bearer ' + KEY };`;
  const input = './openapi.yaml';
  const outputs = {
    client: { input, output: { target: './orval/client.ts', client: 'fetch', baseUrl: url } },
    schemas: { input, output: { target: './orval/schemas.ts', client: 'zod' } },
  };
  await writeFile(join(folder.path, 'orval.config.cjs'), `module.exports = ${JSON.stringify(outputs)};`);
});
afterAll(async () => {
  await petstore.stop();
  await folder.remove();
});

describe.each(GENERATORS)('a client that is generated by $name', ({ name, generate, program }) => {
  it('compiles strictly, and adds, changes and lists a pet', async () => {
    const [command = '', ...args] = generate;
    await tool(command, ...args);
    const file = `${name.split(',')[0] ?? name}.program.ts`.replaceAll('-', '_');
    const [imports, rest] = [program.match(/^ *import .*$/gm) ?? [], program.replace(/^ *import .*$/gm, '')];
    await writeFile(
      join(folder.path, file),
      `${imports.join('\n')}\n${prelude}\n${rest}\nrun().then((pets) => console.log(JSON.stringify(pets)));\n`,
    );
    expect(
      await tool('tsc', ...COMPILER_OPTIONS, file).catch(
        (error: unknown) => (error as { stdout: string }).stdout,
      ),
    ).toBe('');
    const bundle = file.replace(/ts$/, 'mjs');
    const options = ['--bundle', '--platform=node', '--format=esm', '--log-level=error'];
    const main =
      "--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
    await tool('esbuild', file, ...options, main, `--outfile=${bundle}`);
    const printed = await runIn(folder.path, process.execPath, bundle);
    expect(JSON.parse(printed)).toEqual([
      { id: expect.any(Number), name: 'Max', categoryId: 1, status: 'available' },
    ]);
  });
});
