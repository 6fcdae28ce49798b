import { exec } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { PetstoreClient, type Pet } from '../../examples/typescript/client.js';
import type { BackOff } from '../../examples/typescript/back-off.js';
import { Petstore } from '../support/petstore.js';
import { itWithPython, runPython } from '../support/python.js';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const BEYOND_DOUBLES = 9_007_199_254_740_993n;

let petstore: Petstore;
let url: string;
let waits: number[];

beforeAll(async () => {
  petstore = await Petstore.start({ env: { PUBLIC_URL: '' } });
  url = `${await petstore.app.getUrl()}/v1`;
  await petstore.query(
    `INSERT INTO pets (name, category_id, status) SELECT 'Rex ' || n, n, 'available' FROM generate_series(1, 70) n`,
  );
});

afterAll(() => petstore.stop());

beforeEach(() => {
  waits = [];
});

/** Time passes in the service, not in the test. */
function sleep(milliseconds: number): Promise<void> {
  waits.push(milliseconds);
  petstore.clock.advance(milliseconds);
  return Promise.resolve();
}

const client = (key: string, at = url, backOff: Partial<BackOff> = {}) =>
  new PetstoreClient(at, key, { sleep, random: () => 0.5, ...backOff });

async function all(pets: AsyncIterable<Pet>): Promise<Pet[]> {
  const found: Pet[] = [];
  for await (const pet of pets) found.push(pet);
  return found;
}

describe('examples/typescript', () => {
  it('has the types of the document; npm run client:types writes them anew', async () => {
    const tools = '../../node_modules/.bin';
    const generate = `${tools}/openapi-typescript ../../docs/openapi.yaml`;
    const format = `${tools}/prettier --stdin-filepath petstore.d.ts`;
    const folder = join(EXAMPLES, 'typescript');
    const { stdout } = await promisify(exec)(`${generate} | ${format}`, { cwd: folder });
    expect(stdout).toBe(await readFile(join(folder, 'petstore.d.ts'), 'utf8'));
  });

  it('visits every animal once over pages', async () => {
    const pets = await all(client(await petstore.key()).pets({ limit: 9, status: 'available' }));
    expect(pets.map(({ name }) => name)).toEqual(Array.from({ length: 70 }, (_, i) => `Rex ${i + 1}`));
    expect(waits).toEqual([]);
  });

  it('adds an animal, and keeps every digit of an identifier', async () => {
    const name = '"categoryId":"1" Zoë';
    const added = await client(await petstore.key()).addPet({
      name,
      categoryId: BEYOND_DOUBLES,
      status: 'sold',
    });
    expect(added).toEqual({ id: added.id, name, categoryId: BEYOND_DOUBLES, status: 'sold' });
    expect(await all(client(await petstore.key()).pets({ status: 'sold' }))).toEqual([added]);
  });

  it('waits exactly what Retry-After says when the Free plan is used up, and then goes on', async () => {
    const pets = await all(client(await petstore.key('free')).pets({ limit: 1, status: 'available' }));
    expect(pets).toHaveLength(70);
    expect(waits).toEqual([60_000]);
  });

  it('does not wait for the next day', async () => {
    const key = await petstore.key('enterprise', { perMinute: 10, perDay: 1 });
    await all(client(key).pets());
    await expect(all(client(key).pets())).rejects.toMatchObject({
      status: 429,
      code: 'daily_quota_exceeded',
    });
    expect(waits).toEqual([]);
  });

  it('throws a refusal with its code and request id, and tries no second time', async () => {
    const invalid = client(await petstore.key()).addPet({ name: '', categoryId: 1n, status: 'sold' });
    await expect(invalid).rejects.toMatchObject({
      status: 400,
      code: 'validation_failed',
      requestId: expect.stringMatching(/\S/) as unknown,
    });
    expect(waits).toEqual([]);
  });
});

describe('examples/typescript with a service in trouble', () => {
  let server: Server;
  let asked: string[];
  let sentKeys: unknown[];
  /** What is answered, one after the other, 0 for nothing; then an empty page. */
  let answers: [status: number, headers?: IncomingHttpHeaders][];

  beforeAll(async () => {
    server = createServer(({ method = '', headers: sent }, response) => {
      sentKeys.push(sent['idempotency-key']);
      const [status, headers] = answers[asked.push(method) - 1] ?? [200];
      if (status === 0) response.destroy();
      else response.writeHead(status, headers).end(status < 300 ? '[]' : 'no JSON');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  beforeEach(() => {
    asked = [];
    sentKeys = [];
  });

  afterAll(() => server.close());

  const pets = (backOff?: Partial<BackOff>) => {
    const { port } = server.address() as AddressInfo;
    return client('petstore_x', `http://127.0.0.1:${port}/v1`, backOff);
  };

  it('backs off exponentially with full jitter where there is no Retry-After', async () => {
    answers = [[503], [502], [504], [503]];
    await all(pets().pets());
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
    expect(asked).toHaveLength(5);
  });

  it('never waits longer than its bound, and may wait next to nothing', async () => {
    answers = [[503], [503], [503]];
    await all(pets({ longest: 700, random: () => 0.999 }).pets());
    await all(pets({ random: () => 0 }).pets());
    expect(waits.map(Math.round)).toEqual([500, 699, 699]);
  });

  it('adds the back-off to Retry-After from the second time on', async () => {
    answers = [1, 2, 3].map((n) => [429, { 'retry-after': String(n) }]);
    await all(pets().pets());
    expect(waits).toEqual([1_000, 2_500, 4_000]);
  });

  it('understands a Retry-After that is a date, in the past too', async () => {
    const at = (date: string): [number, IncomingHttpHeaders] => [429, { 'retry-after': date }];
    answers = [at('Thu, 01 Jan 2026 00:00:07 GMT'), at('Thu, 01 Jan 1970 00:00:00 GMT')];
    await all(pets({ now: () => Date.UTC(2026, 0, 1) }).pets());
    expect(waits).toEqual([7_000, 500]);
  });

  it('gives up after its tries, with what was answered last', async () => {
    answers = Array.from({ length: 9 }, () => [503]);
    await expect(all(pets({ tries: 3 }).pets())).rejects.toMatchObject({ status: 503, code: 'unknown' });
    expect(asked).toHaveLength(3);
    expect(waits).toHaveLength(2);
  });

  it('sends a POST again with the same Idempotency-Key, and another one with another', async () => {
    answers = [[429], [503], [409], [504], [201], [503], [201]];
    const add = () => pets().addPet({ name: 'Rex', categoryId: 1n, status: 'sold' });
    await add();
    await add();
    expect(asked).toHaveLength(7);
    expect(new Set(sentKeys.slice(0, 5)).size).toBe(1);
    expect(new Set(sentKeys.slice(5)).size).toBe(1);
    expect(new Set(sentKeys).size).toBe(2);
    expect(sentKeys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sends a request again when no answer came', async () => {
    answers = [[0], [0]];
    await all(pets().pets());
    expect(asked).toHaveLength(3);
    expect(waits).toEqual([250, 500]);
    answers = Array.from({ length: 20 }, () => [0]);
    await expect(all(pets({ tries: 2 }).pets())).rejects.toThrow();
    expect(asked).toHaveLength(5);
  });

  it('takes the key to no other host', async () => {
    answers = [[200, { link: '<http://elsewhere.test/v1/pets>; rel="next"' }]];
    await expect(all(pets().pets())).rejects.toThrow('elsewhere.test');
  });
});

describe('examples/python', () => {
  const python = (key: string, ...args: string[]) =>
    runPython(join(EXAMPLES, 'python/petstore.py'), args, { PETSTORE_URL: url, PETSTORE_KEY: key });

  itWithPython('adds an animal, and keeps every digit of an identifier', async () => {
    const program = python(await petstore.key(), 'add', 'Zoë', String(BEYOND_DOUBLES));
    expect(await text(program.stdout)).toContain(`"categoryId": ${BEYOND_DOUBLES}`);
  });

  itWithPython(
    'visits every animal, waiting what Retry-After says when the Free plan is used up',
    async () => {
      const program = python(
        await petstore.key('free'),
        '--enter',
        'list',
        '--limit',
        '1',
        '--status',
        'available',
      );
      const printed = text(program.stdout);
      const [told] = (await once(program.stderr, 'data')) as [Buffer];
      expect(told.toString()).toMatch(/^Told to wait 60 s: /);
      petstore.clock.advance(60_000);
      program.stdin.end('\n');
      const names = (await printed).trim().split('\n').slice(0, 70);
      expect(names.map((line) => line.split('\t')[2])).toEqual(names.map((_, i) => `Rex ${i + 1}`));
      expect(program.exitCode ?? (await once(program, 'close'))[0]).toBe(0);
    },
  );

  itWithPython('adds one animal when the answer to its first try is lost', async () => {
    const key = await petstore.key();
    let tries = 0;
    const proxy = createServer((request, response) => {
      const { 'content-type': type, 'idempotency-key': idempotencyKey, authorization = '' } = request.headers;
      const isFirst = tries++ === 0;
      void text(request)
        .then((body) =>
          fetch(`${url}/pets`, {
            method: 'POST',
            headers: {
              'Content-Type': String(type),
              'Idempotency-Key': String(idempotencyKey),
              Authorization: authorization,
            },
            body,
          }),
        )
        .then(async (answer) => {
          if (isFirst) response.destroy();
          else response.writeHead(answer.status).end(await answer.text());
        });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const environment = { PETSTORE_URL: `http://127.0.0.1:${port}/v1`, PETSTORE_KEY: key };
    const program = runPython(join(EXAMPLES, 'python/petstore.py'), ['add', 'Lost', '1'], environment);
    expect(await text(program.stdout)).toMatch(/"name": ?"Lost"/);
    proxy.close();
    expect(tries).toBe(2);
    expect(await petstore.query(`SELECT 1 FROM pets WHERE name = 'Lost'`)).toHaveLength(1);
  });

  itWithPython('ends with one line and exit code 1 when it is refused', async () => {
    const program = python('petstore_wrong', 'list');
    expect(await text(program.stderr)).toMatch(/^401 invalid_api_key: .+\n$/);
    expect(program.exitCode ?? (await once(program, 'close'))[0]).toBe(1);
  });
});
