import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { load } from 'js-yaml';
import { type ClientOptions, PetstoreClient } from '../../clients/typescript/src/index.js';
import { errorOf } from '../../clients/typescript/src/errors.js';
import { OPERATIONS } from '../../clients/typescript/src/operations.js';
import { ErrorCatalog } from '../../src/platform/program/openapi/error-catalog/error-catalog.js';
import { becomes, eventually } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { whileLocked } from '../support/table-lock.js';
import { rememberKey } from '../support/run-log.js';
import { itWithPython, runPython } from '../support/python.js';

const ROOT = join(import.meta.dirname, '../..');
const PYTHON = join(ROOT, 'clients/python');
const PYTHON_PATH = { PYTHONPATH: join(PYTHON, 'src') };
const BEYOND_NUMBERS = 9_007_199_254_740_993n;

/** The resources that the clients cover completely. Add your module here if they cover it too. */
const RESOURCES = ['pets', 'categories', 'store', 'events', 'webhooks', 'key', 'usage', 'rate-limit'];

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let document: Document;
let petstore: Petstore;
let url: string;
let waits: number[];

beforeAll(async () => {
  document = load(await readFile(join(ROOT, 'docs/openapi.yaml'), 'utf8')) as Document;
  petstore = await Petstore.start({ env: { PUBLIC_URL: '', WEBHOOK_WORKER: 'off' } });
  url = `${await petstore.app.getUrl()}/v1`;
  await petstore.query(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex ' || n, n, 'available' FROM generate_series(1, 70) n`,
  );
  await petstore.query(`INSERT INTO orders (pet_id, quantity, status) VALUES (1, 3, 'placed')`);
});

afterAll(() => petstore.stop());

beforeEach(() => {
  waits = [];
});

/** The document's description of each operation that the clients cover. */
function offered(): unknown[] {
  const paths = Object.entries(document.paths).filter(([path]) =>
    RESOURCES.includes(path.split('/')[1] ?? ''),
  );
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { deprecated }]) => deprecated !== true)
      .map(([method, { operationId: id, parameters = [] }]) => ({
        id,
        method: method.toUpperCase(),
        path,
        takesIdempotencyKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
        lists: parameters
          .filter(({ in: place, schema }) => place === 'query' && schema?.type === 'array')
          .map(({ name }) => name),
      })),
  );
}

/** Every error that the service sends. */
const errors = () => petstore.app.get(ErrorCatalog).entries.map(({ example }) => example);

const errorClasses = () => errors().map((error) => errorOf(error).name);

const PRINT_ERROR_CLASSES = `
import json, sys
from petstore.errors import Problem, error_of
errors = [error_of(Problem(one["code"], "", one["status"])) for one in json.loads(sys.argv[1])]
print(json.dumps([type(error).__name__ for error in errors]))`;

const CREATE_TWENTY = `
import asyncio, json
from petstore import AsyncPetstoreClient

async def main():
    async with AsyncPetstoreClient() as client:
        create = lambda: client.pets.create(name="Once in Python", category_id=1, status="pending", idempotency_key="twenty-at-once-in-python")
        pets = await asyncio.gather(*(create() for _ in range(20)))
        print(json.dumps({"pets": len({pet.id for pet in pets})}))

asyncio.run(main())`;

/** Lets time pass in the service, not in the test. */
function sleep(milliseconds: number): Promise<void> {
  waits.push(milliseconds);
  petstore.clock.advance(milliseconds);
  return Promise.resolve();
}

const client = (apiKey: string, options: ClientOptions = {}) =>
  new PetstoreClient({ url, apiKey, ...options, runtime: { sleep, random: () => 0.5, ...options.runtime } });

const asText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

const petsNamed = async (name: string) =>
  (await petstore.query('SELECT 1 FROM pets WHERE name = $1', [name])).length;

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('clients/typescript', () => {
  it('offers every operation of the document that is not deprecated', () => {
    const rows = Object.entries(OPERATIONS).map(([id, row]) => ({
      id,
      takesIdempotencyKey: false,
      lists: [],
      ...row,
    }));
    expect(rows).toEqual(offered());
  });

  it('has a class for each error of the catalogue', () => {
    expect(errorClasses()).not.toContain('PetstoreError');
  });

  it('visits every pet once, and waits for Retry-After and a little more when the Free plan is exhausted', async () => {
    const pets = await all(client(await petstore.key('free')).pets.list({ limit: 1, status: 'available' }));
    expect(pets.map(({ name }) => name)).toEqual(Array.from({ length: 70 }, (_, i) => `Rex ${i + 1}`));
    expect(waits).toEqual([60_250]);
  });

  it('gets the one pet of 20 equal creations that run at the same time', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slept: number[] = [];
    const wait = (milliseconds: number) => {
      slept.push(milliseconds);
      return released;
    };
    const { pets } = client(await petstore.key(), { runtime: { sleep: wait } });
    let creations: Promise<unknown>[] = [];
    await whileLocked(petstore.databaseUrl, 'pets', async () => {
      creations = Array.from({ length: 20 }, () =>
        pets.create(
          { name: 'Once', categoryId: 1n, status: 'pending' },
          { idempotencyKey: 'twenty-at-once' },
        ),
      );
      await becomes(() => slept.length, 19);
    });
    await eventually(async () => (await petsNamed('Once')) === 1);
    release();
    expect(new Set((await Promise.all(creations)).map((pet) => JSON.stringify(pet, asText))).size).toBe(1);
    expect(slept).toEqual(Array.from({ length: 19 }, () => 1_250)); // Retry-After, and half of the random part
    expect(await petsNamed('Once')).toBe(1);
  });

  it('adds a pet with all digits, and gets it without a deprecated operation', async () => {
    const warnings: string[] = [];
    const { pets } = client(await petstore.key(), { runtime: { warn: (message) => warnings.push(message) } });
    const name = '"categoryId":"1" Zoë';
    const added = await pets.create({ name, categoryId: BEYOND_NUMBERS, status: 'sold' });
    expect(added).toEqual({ id: added.id, name, categoryId: BEYOND_NUMBERS, status: 'sold' });
    expect(await all(pets.list({ status: 'sold' }))).toEqual([added]);
    expect(await pets.get(added.id)).toEqual(added);
    expect(warnings).toEqual([]);
  });

  it('adds one pet even if the response to its first try is lost', async () => {
    let tries = 0;
    const proxy = createServer((request, response) => {
      const { 'content-type': type, 'idempotency-key': key, authorization = '' } = request.headers;
      const isFirst = tries++ === 0;
      void text(request)
        .then((body) =>
          fetch(`${url}/pets`, {
            method: 'POST',
            headers: {
              'Content-Type': String(type),
              'Idempotency-Key': String(key),
              Authorization: authorization,
            },
            body,
          }),
        )
        .then(async (upstream) => {
          if (isFirst) response.destroy();
          else
            response
              .writeHead(upstream.status, Object.fromEntries(upstream.headers))
              .end(await upstream.text());
        });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const behind = client(await petstore.key(), { url: `http://127.0.0.1:${port}/v1` });
    const lost = await behind.pets.create({ name: 'Lost', categoryId: 1n, status: 'pending' });
    proxy.closeAllConnections();
    proxy.close();
    expect(tries).toBe(2);
    expect(lost.response).toMatchObject({ idempotentReplayed: true });
    expect(await petstore.query(`SELECT 1 FROM pets WHERE name = 'Lost'`)).toHaveLength(1);
  });

  it('reads orders, the quota, and the quota in the last response', async () => {
    const mine = client(await petstore.key('free'));
    const { items, response } = await mine.orders.list().page();
    const [order] = items;
    expect(order).toMatchObject({ petId: 1n, quantity: 3, status: 'placed' });
    expect(response.rateLimit).toMatchObject({
      limit: 60,
      remaining: 59,
      windows: [{ name: 'minute' }, { name: 'day', quota: 1000, remaining: 999 }],
    });
    expect(await mine.rateLimits.get()).toMatchObject({ plan: 'free', minute: { remaining: 59 } });
  });

  it('throws an error with details and request id, and a 304 for an unchanged resource', async () => {
    const { pets } = client(await petstore.key());
    await expect(pets.create({ name: '', categoryId: 1n })).rejects.toMatchObject({
      name: 'ValidationError',
      code: 'validation_failed',
      details: [{ field: 'name' }],
      requestId: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
    });
    const { etag } = (await pets.list({ limit: 1 }).page()).response;
    const again = pets.list({ limit: 1 }).page({ ifNoneMatch: etag });
    await expect(again).rejects.toMatchObject({ name: 'NotModifiedError', status: 304 });
    expect(waits).toEqual([]);
  });
});

describe('clients/python', () => {
  itWithPython('passes its own tests', async () => {
    const program = runPython(
      ['-W', 'error', '-m', 'unittest', 'discover', '-s', join(PYTHON, 'tests')],
      PYTHON_PATH,
    );
    const [said, [code]] = await Promise.all([text(program.stderr), once(program, 'close')]);
    expect([code, said]).toEqual([0, expect.stringMatching(/\nRan [1-9]\d+ tests in .*\n\nOK\n$/)]);
  });

  itWithPython(
    'has a synchronous client generated from the asynchronous one; unasync.py updates it',
    async () => {
      const program = runPython([join(PYTHON, 'unasync.py'), '--check'], {});
      expect(await text(program.stderr)).toBe('');
    },
  );

  itWithPython('has a class for each error of the catalogue, the same as the other client', async () => {
    const program = runPython(['-c', PRINT_ERROR_CLASSES, JSON.stringify(errors())], PYTHON_PATH);
    expect(JSON.parse(await text(program.stdout))).toEqual(errorClasses());
  });

  itWithPython('gets the one pet of 20 equal creations that run at the same time', async () => {
    const env = { ...PYTHON_PATH, PETSTORE_URL: url, PETSTORE_API_KEY: await petstore.key() };
    let program: ReturnType<typeof runPython> | undefined;
    const inProgress = () => petstore.log.filter(({ status }) => status === 409).length;
    const before = inProgress();
    await whileLocked(petstore.databaseUrl, 'pets', async () => {
      program = runPython(['-c', CREATE_TWENTY], env);
      await becomes(() => inProgress() - before >= 19, true);
    });
    expect(JSON.parse((program && (await text(program.stdout))) ?? '')).toEqual({ pets: 1 });
    expect(await petsNamed('Once in Python')).toBe(1);
  });

  itWithPython('has the operations and the models of the document', async () => {
    const program = runPython([join(PYTHON, 'tests/description.py')], PYTHON_PATH);
    const { operations, models } = JSON.parse(await text(program.stdout)) as {
      operations: Record<string, unknown>[];
      models: Record<string, unknown>;
    };
    const rows = operations.map(({ takes_idempotency_key: takesIdempotencyKey, ...row }) => ({
      ...row,
      takesIdempotencyKey,
    }));
    expect(rows).toEqual(offered());
    const documented = Object.keys(models).map((name) => [name, membersOf(name)]);
    expect(models).toEqual(Object.fromEntries(documented));
  });

  itWithPython('works with a running service as documented', async () => {
    const env = { ...PYTHON_PATH, PETSTORE_URL: url, PETSTORE_API_KEY: await petstore.key('free') };
    const program = runPython([join(PYTHON, 'tests/running_service.py')], env);
    program.stdout.on('data', (line: Buffer) => {
      if (!line.includes('waits 60 s')) return;
      petstore.clock.advance(60_000);
      program.stdin.write('\n');
    });
    const [said, warned] = await Promise.all([text(program.stdout), text(program.stderr)]);
    expect(said.trim().split('\n')).toEqual([
      'added once True True',
      `kept every digit ${BEYOND_NUMBERS} True`,
      'orders [3]',
      'not modified 304',
      "invalid validation_failed ['name']",
      'remaining 53 53',
      'waits 60 s',
      'pets 70',
    ]);
    expect(warned).toBe('');
  });

  itWithPython('changes a running store by every operation beyond the contract', async () => {
    const key = await petstore.key();
    const program = runPython([join(PYTHON, 'tests/running_store.py')], {
      ...PYTHON_PATH,
      PETSTORE_URL: url,
      PETSTORE_API_KEY: key,
    });
    const [said, warned] = await Promise.all([text(program.stdout), text(program.stderr)]);
    expect([warned, said.trim().split('\n')]).toEqual([
      '',
      [
        'category True',
        'to the top None',
        'categories True',
        'same version True',
        'changed Max',
        'lost update 412',
        'of the category True',
        "by id ['Max']",
        'by name True',
        'counted True',
        'held pet_not_available',
        'delivered delivered sold',
        "orders ['delivered'] True",
        'cancelled cancelled',
        'removed []',
        'key enterprise True',
        'usage True',
        'events True',
        'later events [True]',
        "webhook True ['pet.created']",
        'webhooks True',
        'new secret True',
        'deliveries True',
        'again pending',
        'disabled request',
        'no webhooks []',
        'rotated True',
      ],
    ]);
  });
});

describe('clients/typescript, beyond the contract', () => {
  it('changes a pet with If-Match, and removes it', async () => {
    const mine = client(await petstore.key());
    const { id, response } = await mine.pets.create({ name: 'Rex', categoryId: 7n });
    const ifMatch = response.etag;
    expect((await mine.pets.list({ ids: [id] }).page()).response.etag).toBe(ifMatch);
    expect(await mine.pets.update(id, { name: 'Max' }, { ifMatch })).toMatchObject({ id, name: 'Max' });
    await expect(mine.pets.update(id, { name: 'Leo' }, { ifMatch })).rejects.toMatchObject({
      name: 'PreconditionFailedError',
    });
    expect(await all(mine.pets.list({ ids: [id] }))).toMatchObject([{ name: 'Max' }]);
    await mine.pets.remove(id);
    expect(await all(mine.pets.list({ ids: [id] }))).toEqual([]);
  });

  it('finds pets by the beginning of their name, in order, and counts them', async () => {
    const { pets } = client(await petstore.key());
    for (const name of ['Strolch', 'straße', 'STRASSE']) await pets.create({ name, categoryId: 7n });
    const named = async (query: Parameters<typeof pets.list>[0]) =>
      (await all(pets.list(query))).map(({ name }) => name);
    expect(await named({ namePrefix: 'strass', limit: 1 })).toEqual(['straße', 'STRASSE']);
    expect(await named({ namePrefix: 'STR', sort: '-name' })).toEqual(['Strolch', 'STRASSE', 'straße']);
    expect((await pets.list({ namePrefix: '' }).page()).items.map(({ id }) => id)).toEqual(
      (await pets.list({ sort: 'name' }).page()).items.map(({ id }) => id),
    );
    const { available, pending, sold } = await pets.inventory();
    expect(available + pending + sold).toBeGreaterThan(0);
  });

  it('orders a pet exactly once', async () => {
    const { orders, pets } = client(await petstore.key());
    const { id: petId } = await pets.create({ name: 'Rex', categoryId: 7n });
    const order = await orders.place({ petId });
    await expect(orders.place({ petId })).rejects.toMatchObject({ code: 'pet_not_available' });
    await orders.approve(order.id);
    expect(await orders.deliver(order.id)).toMatchObject({ petId, status: 'delivered' });
    expect(await orders.get(order.id)).toMatchObject({ status: 'delivered' });
    await expect(orders.cancel(order.id)).rejects.toMatchObject({ code: 'invalid_order_transition' });
    expect((await orders.list({ petId, status: 'delivered' }).page()).items).toHaveLength(1);
  });

  it('follows the feed to the newest event, and ends there', async () => {
    const { events, pets } = client(await petstore.key());
    const { id } = await pets.create({ name: 'Told', categoryId: 7n });
    await eventually(async () => {
      for await (const event of events.list({ type: 'pet.created' }))
        if (event.type === 'pet.created' && event.data.id === id) return true;
      return false;
    });
  });

  it('copies the pets, and follows their changes from then on', async () => {
    const { events, pets } = client(await petstore.key());
    const { id: before } = await pets.create({ name: 'Before', categoryId: 7n });
    const start = await events.list({ since: 'now', limit: 100 }).page();
    expect(start.items).toEqual([]);
    const { id: after } = await pets.create({ name: 'After', categoryId: 7n });
    const copied = (await all(pets.list({ sort: '-id' }))).map(({ id }) => id);
    expect(copied.slice(0, 2)).toEqual([after, before]);
    const changed = await all(events.list({ cursor: start.nextCursor }));
    expect(changed).toMatchObject([{ type: 'pet.created', data: { id: after } }]);
  });

  it('shows and rotates its own key', async () => {
    const { key } = client(await petstore.key());
    expect(await key.get()).toMatchObject({
      plan: 'enterprise',
      scopes: expect.arrayContaining(['key:rotate']),
    });
    expect(await key.usage({ days: 1 })).toEqual(expect.any(Array));
    const rotated = await key.rotate({ overlapSeconds: 60 });
    rememberKey(rotated.key);
    expect(await client(rotated.key).key.get()).toMatchObject({ oldSecretEndsAt: rotated.oldSecretEndsAt });
  });
});

/** How a model of the Python client must look: names in snake_case, shapes according to its own description. */
function membersOf(name: string): unknown {
  const { properties = {}, required = [] } = document.components.schemas[name] ?? {};
  const entries = Object.entries(properties).map(([name, schema]) => [
    name === 'in' ? 'in_' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), // a keyword
    { shape: shapeOf(schema), required: required.includes(name) },
  ]);
  return Object.fromEntries(entries);
}

function shapeOf({ $ref, type, format, enum: values }: Schema): unknown {
  if ($ref === undefined) return values ?? (format === 'date-time' ? format : type);
  const name = $ref.split('/').at(-1) ?? '';
  const schema = document.components.schemas[name] ?? {};
  return schema.type === 'object' ? name : shapeOf(schema);
}
