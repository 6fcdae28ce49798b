import { Controller, Get, Module, Query } from '@nestjs/common';
import { on, once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { SkipThrottle } from '@nestjs/throttler';
import { Metrics, Public, SkipConcurrencyLimit } from '../../src/platform/index.js';
import { becomes, eventually } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { whileLocked } from '../support/table-lock.js';
import { bearer, requestBytes } from '../support/wire.js';

const LIMIT = 3;

/** The handlers that run, and how each can end. */
const running = new Map<string, () => void>();

@Controller({ path: 'held', version: '1' })
class HeldController {
  @Get()
  hold(@Query('name') name: string): Promise<object> {
    return new Promise((end) =>
      running.set(name, () => {
        running.delete(name);
        end({ name });
      }),
    );
  }

  @Get('unthrottled')
  @SkipThrottle()
  unthrottled(@Query('name') name: string): Promise<object> {
    return this.hold(name);
  }

  @Get('public')
  @Public()
  public(@Query('name') name: string): Promise<object> {
    return this.hold(name);
  }

  @Get('slow')
  @SkipConcurrencyLimit()
  slow(@Query('name') name: string): Promise<object> {
    return this.hold(name);
  }
}

@Module({ controllers: [HeldController] })
class HeldModule {}

let petstore: Petstore;
let url: string;
let count = 0;

beforeAll(async () => {
  petstore = await Petstore.start({
    env: { CLIENT_CONCURRENCY: String(LIMIT), PUBLIC_URL: '' },
    modules: [HeldModule],
  });
  url = `${await petstore.app.getUrl()}/v1`;
});
afterAll(async () => {
  petstore.app.getHttpServer().closeAllConnections();
  await petstore.stop();
});
afterEach(async () => {
  while (running.size > 0) {
    for (const end of [...running.values()]) end();
    await new Promise(setImmediate);
  }
});

function client(key?: string) {
  const names: string[] = [];
  const send = (path = '/held', signal?: AbortSignal) => {
    const name = `held-${++count}`;
    names.push(name);
    const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    return fetch(`${url}${path}?name=${name}`, { headers, ...(signal && { signal }) }).then(
      ({ status }) => status,
      () => undefined,
    );
  };
  const atWork = () => names.filter((name) => running.has(name)).length;
  const end = () => {
    const name = names.find((one) => running.has(one));
    if (name !== undefined) running.get(name)?.();
  };
  return { send, atWork, end };
}

/** Resolves when the next requests have come. */
async function arrived(requests = 1): Promise<void> {
  const arrivals = on(petstore.app.getHttpServer(), 'request');
  for (let i = 0; i < requests; i++) await arrivals.next();
  await arrivals.return?.();
}

async function waited(outcome: string): Promise<number> {
  const text = await petstore.app.get(Metrics).registry.metrics();
  return Number(new RegExp(`requests_waited_total{outcome="${outcome}"} (\\d+)`).exec(text)?.[1] ?? 0);
}

describe(`of one client, ${LIMIT} requests are at work`, () => {
  it.each([
    ['of a key', '/held', true],
    ['of a key on a route with @SkipThrottle()', '/held/unthrottled', true],
    ['of an address without a key', '/held/public', false],
  ])('and further ones wait in order: %s', async (_, path, hasKey) => {
    const key = hasKey ? await petstore.key() : undefined;
    if (key) await petstore.client(key).get('/v1/rate-limit').expect(200); // known, so that requests wait as soon as they have come
    const one = client(key);
    const before = await waited('admitted');
    const all = arrived(LIMIT + 2);
    const sent = Array.from({ length: LIMIT + 2 }, () => one.send(path));
    await all; // otherwise the last one could come when another has ended, and not wait
    await becomes(() => one.atWork(), LIMIT);
    const other = client(await petstore.key());
    const others = other.send();
    await becomes(() => other.atWork(), 1); // another client does not wait
    expect(one.atWork()).toBe(LIMIT);
    other.end();
    expect(await others).toBe(200);
    for (let i = 0; i < LIMIT + 2; i++) {
      await eventually(() => one.atWork() > 0);
      one.end();
    }
    expect(await Promise.all(sent)).toEqual(Array.from({ length: LIMIT + 2 }, () => 200));
    expect(await waited('admitted')).toBe(before + 2);
  });

  it('but those of a route with @SkipConcurrencyLimit() do not count', async () => {
    const one = client(await petstore.key());
    const sent = Array.from({ length: LIMIT + 2 }, () => one.send('/held/slow'));
    await becomes(() => one.atWork(), LIMIT + 2);
    for (let i = 0; i < LIMIT + 2; i++) one.end();
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
  });

  it('and a closed connection ends no turn, but the wait of a request', async () => {
    const one = client(await petstore.key());
    const leaving = new AbortController();
    const sent = Array.from({ length: LIMIT }, () => one.send('/held', leaving.signal));
    await becomes(() => one.atWork(), LIMIT);
    const waiting = new AbortController();
    const given = one.send('/held', waiting.signal);
    await arrived(); // otherwise the client could close the connection before the service has read the request
    const next = one.send();
    await arrived();
    leaving.abort();
    waiting.abort();
    await Promise.all([...sent, given]);
    expect(one.atWork()).toBe(LIMIT); // the work goes on
    await eventually(async () => (await waited('closed')) > 0);
    one.end();
    await becomes(() => one.atWork(), LIMIT); // the next one, not the one that has gone
    while (one.atWork() > 0) one.end();
    expect(await next).toBe(200);
  });

  it('and a stored response ends the turn of a repeat whose client has gone', async () => {
    const key = await petstore.key();
    const body = JSON.stringify({ name: 'Gone' });
    await petstore
      .client(key)
      .post('/v1/categories')
      .set('Idempotency-Key', 'gone')
      .set('Content-Type', 'application/json')
      .send(body)
      .expect(201);
    const repeat = requestBytes({
      method: 'POST',
      path: '/v1/categories',
      headers: [bearer(key), ['Idempotency-Key', 'gone'], ['Content-Type', 'application/json']],
      body,
    });
    const server = petstore.app.getHttpServer();
    const { port } = server.address() as AddressInfo;
    await whileLocked(petstore.databaseUrl, 'idempotent_answers', async () => {
      for (let i = 0; i < LIMIT; i++) {
        const accepted = once(server, 'connection') as Promise<[Socket]>;
        const socket = connect(port, '127.0.0.1');
        const [connection] = await accepted;
        const waits = arrived();
        socket.write(repeat);
        await waits;
        const closed = once(connection, 'close');
        socket.destroy();
        await closed;
      }
    });
    const one = client(key);
    const sent = one.send();
    await becomes(() => one.atWork(), 1); // without a wait for turns that nothing ends
    one.end();
    expect(await sent).toBe(200);
  });

  it('and the log names the client once', () => {
    const lines = petstore.log.filter(({ msg }) => String(msg).includes('CLIENT_CONCURRENCY'));
    const keys = lines.map(({ key, address }) => JSON.stringify(key ?? address));
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
