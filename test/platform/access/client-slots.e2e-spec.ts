import { Controller, Get, Module, Query, Req, Res, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { EventEmitter, on, once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { SkipThrottle } from '@nestjs/throttler';
import { ClientSlots } from '../../../src/platform/access/rate-limit/client-slots.js';
import { Metrics, Public, SkipConcurrencyLimit } from '../../../src/platform/index.js';
import { seconds } from '../../../src/platform/kernel/clock/duration.js';
import { ServiceUnavailable } from '../../../src/platform/kernel/errors/common.errors.js';
import { becomes, eventually } from '../../support/eventually.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { whileLocked } from '../../support/table-lock.js';
import { bearer, requestBytes } from '../../support/wire.js';

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

@Public()
@Controller('open')
class OpenController {
  @Get()
  hold(@Query('name') name: string): Promise<object> {
    return new HeldController().hold(name);
  }

  @Get('slow')
  @SkipConcurrencyLimit()
  slow(@Query('name') name: string): Promise<object> {
    return this.hold(name);
  }
}

const FILE = import.meta.filename;

/** What a handler can do when its client has gone, in the order of Express's and Nest's documentation. */
const ENDINGS: Record<string, (response: Response) => unknown> = {
  'response.send()': (response) => response.send('text'),
  'response.json()': (response) => response.json({}),
  'response.end() without a body': (response) => response.end(),
  'response.redirect()': (response) => {
    response.redirect('/docs');
  },
  'response.sendFile()': (response) => {
    response.sendFile(FILE);
  },
  'response.download()': (response) => {
    response.download(FILE);
  },
  'a stream into the response': (response) => createReadStream(FILE).pipe(response),
  'pipeline()': (response) => pipeline(createReadStream(FILE), response, () => undefined),
  'response.write()': (response) => response.write('text'),
  'response.flushHeaders()': (response) => {
    response.flushHeaders();
  },
  'response.destroy()': (response) => response.destroy(),
};
const RETURNS: Record<string, () => unknown> = {
  'an object': () => ({}),
  'a text': () => 'text',
  nothing: () => undefined,
  'a file': () => new StreamableFile(createReadStream(FILE)),
  'a file in memory': () => new StreamableFile(Buffer.from('text')),
  'an error': () => {
    throw new Error('expected by the test');
  },
};

@Public()
@Controller('gone')
class GoneController {
  @Get('ends')
  async end(@Query('how') how: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    await gone(request);
    ENDINGS[how]?.(response);
  }

  @Get('streams')
  stream(@Res() response: Response): void {
    response.sendFile(FILE); // before the connection closes, and before the file is open
    response.req.socket.destroy();
    ends.emit('called');
  }

  @Get('returns')
  async return(@Query('how') how: string, @Req() request: Request): Promise<unknown> {
    await gone(request);
    return RETURNS[how]?.();
  }
}

const ends = new EventEmitter();

/** Closes the connection of a request, and waits until Node.js has noticed. */
async function gone({ socket, res }: Request): Promise<void> {
  socket.destroy();
  if (res) await once(res, 'close');
  ends.emit('called');
}

@Module({ controllers: [HeldController, OpenController, GoneController] })
class HeldModule {}

let petstore: Petstore;
let url: string;
let count = 0;

beforeAll(async () => {
  petstore = await Petstore.start({
    env: { CLIENT_CONCURRENCY: String(LIMIT), PUBLIC_URL: '' },
    modules: [HeldModule, ItemsModule],
  });
  url = await petstore.app.getUrl();
});
afterAll(async () => {
  petstore.app.getHttpServer().closeAllConnections();
  await petstore.stop();
});
afterEach(async () => {
  jest.restoreAllMocks();
  while (running.size > 0) {
    for (const end of [...running.values()]) end();
    await new Promise(setImmediate);
  }
});

/** Lets nothing free a slot 30 s after its connection has closed. */
function withoutLastResort(): void {
  const { setTimeout } = globalThis;
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((run: () => void, ms?: number) =>
      setTimeout(ms === seconds(30) ? () => undefined : run, ms),
    );
}

function client(key?: string) {
  const names: string[] = [];
  const send = (path = '/v1/held', signal?: AbortSignal) => {
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
    ['of a key', '/v1/held', true],
    ['of a key on a route with @SkipThrottle()', '/v1/held/unthrottled', true],
    ['of an address without a key', '/v1/held/public', false],
    ['of an address, outside /v1', '/open', false],
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

  it.each(['/v1/held/slow', '/open/slow'])(
    'but those of a route with @SkipConcurrencyLimit() do not count: %s',
    async (path) => {
      const one = client(await petstore.key());
      const sent = Array.from({ length: LIMIT + 2 }, () => one.send(path));
      await becomes(() => one.atWork(), LIMIT + 2);
      for (let i = 0; i < LIMIT + 2; i++) one.end();
      expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
    },
  );

  it('nor do probes and metrics', async () => {
    const one = client();
    const sent = Array.from({ length: LIMIT + 1 }, () => one.send('/open'));
    await becomes(() => one.atWork(), LIMIT);
    for (const path of ['/health/live', '/health/ready', '/metrics'])
      expect((await fetch(url + path)).status).toBe(200);
    one.end();
    await becomes(() => one.atWork(), LIMIT);
    while (one.atWork() > 0) one.end();
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
  });

  it.each(['/docs', '/docs/swagger-ui-init.js', '/openapi.json', '/nothing', '/health/nothing'])(
    'and %s waits for those of its address, whether a route is there or not',
    async (path) => {
      const one = client();
      const sent = Array.from({ length: LIMIT }, () => one.send('/open'));
      await becomes(() => one.atWork(), LIMIT);
      const before = await waited('admitted');
      const waiting = fetch(url + path, { redirect: 'manual' });
      await arrived();
      one.end();
      await waiting;
      expect(await waited('admitted')).toBe(before + 1);
      while (one.atWork() > 0) one.end();
      await Promise.all(sent);
    },
  );

  it('and those that need no I/O begin in one pass of the event loop', async () => {
    const slots = petstore.app.get(ClientSlots);
    const take = () => {
      const request = {} as Request;
      const taken = slots.take(request, new EventEmitter() as Response, 'one client');
      request.slot?.release();
      return taken;
    };
    const taken = Array.from({ length: LIMIT + 1 }, take);
    expect(taken.slice(0, -1)).toEqual(Array.from({ length: LIMIT }, () => true));
    expect(taken.at(-1)).toBeInstanceOf(Promise);
    expect(slots.take({} as Request, new EventEmitter() as Response, 'another client')).toBe(true);
    expect(await taken.at(-1)).toBe(true);
  });

  it('and a slot taken after the connection has closed is free 30 s later, whatever the handler does', () => {
    const slots = petstore.app.get(ClientSlots);
    const request = {} as Request;
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const closed = Object.assign(new EventEmitter(), { destroyed: true }) as Response;
      expect(slots.take(request, closed, 'a client that has gone')).toBe(true);
      expect(request.slot?.isReleased).toBe(false); // the work goes on
      jest.advanceTimersByTime(seconds(30));
    } finally {
      jest.useRealTimers();
    }
    expect(request.slot?.isReleased).toBe(true);
  });

  it('and a request whose connection has closed before it waits does not begin to wait', async () => {
    const slots = petstore.app.get(ClientSlots);
    const open = new EventEmitter() as Response;
    const closed = Object.assign(new EventEmitter(), { destroyed: true }) as Response;
    const working = Array.from({ length: LIMIT }, () => ({}) as Request);
    for (const request of working) expect(slots.take(request, open, 'a client that aborts')).toBe(true);
    const aborted = slots.take({} as Request, closed, 'a client that aborts');
    working[0]?.slot?.release(); // it would go to the request
    await expect(aborted).rejects.toThrow(ServiceUnavailable);
    for (const { slot } of working) slot?.release();
  });

  it('and a closed connection frees no slot, but ends the wait of a request', async () => {
    const one = client(await petstore.key());
    const before = await waited('closed');
    const leaving = new AbortController();
    const sent = Array.from({ length: LIMIT }, () => one.send('/v1/held', leaving.signal));
    await becomes(() => one.atWork(), LIMIT);
    const waiting = new AbortController();
    const given = one.send('/v1/held', waiting.signal);
    await arrived(); // otherwise the client could close the connection before the service has read the request
    const next = one.send();
    await arrived();
    leaving.abort();
    waiting.abort();
    await Promise.all([...sent, given]);
    expect(one.atWork()).toBe(LIMIT); // the work goes on
    await eventually(async () => (await waited('closed')) > before);
    one.end();
    await becomes(() => one.atWork(), LIMIT); // the next one, not the one that has gone
    while (one.atWork() > 0) one.end();
    expect(await next).toBe(200);
  });

  it('and a stored response frees the slot of a repeat whose client has gone', async () => {
    const key = await petstore.key();
    const body = JSON.stringify({ name: 'Gone', amount: 1 });
    await petstore
      .client(key)
      .post('/v1/items')
      .set('Idempotency-Key', 'gone')
      .set('Content-Type', 'application/json')
      .send(body)
      .expect(201);
    const repeat = requestBytes({
      method: 'POST',
      path: '/v1/items',
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
    await becomes(() => one.atWork(), 1); // without a wait for slots that nothing frees
    one.end();
    expect(await sent).toBe(200);
  });

  it.each([
    ...Object.keys(ENDINGS).map((how) => [how, `/gone/ends?how=${encodeURIComponent(how)}`]),
    ...Object.keys(RETURNS).map((how) => [`a handler that returns ${how}`, `/gone/returns?how=${how}`]),
    ['a file whose client goes while it is opened', '/gone/streams?'],
  ])('and whoever ends a response frees its slot, also if its client has gone: %s', async (_, path) => {
    withoutLastResort();
    for (let i = 0; i < LIMIT; i++) {
      const called = once(ends, 'called');
      await Promise.all([called, fetch(url + path).catch(() => undefined)]);
    }
    const one = client();
    const sent = one.send('/open'); // waits, and gets 503, if the address has no slot
    await Promise.race([becomes(() => one.atWork(), 1), sent]);
    one.end();
    expect(await sent).toBe(200);
  });

  it('and aborted downloads free theirs', async () => {
    withoutLastResort();
    const server = petstore.app.getHttpServer();
    for (let i = 0; i < LIMIT; i++) {
      server.once('request', ({ socket }: Request) => socket.destroy()); // before the file can be sent
      await expect(fetch(`${url}/docs/swagger-ui-bundle.js`)).rejects.toThrow();
    }
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  });

  it('and the log names the client once', () => {
    const lines = petstore.log.filter(({ msg }) => String(msg).includes('CLIENT_CONCURRENCY'));
    const keys = lines.map(({ keyId, address }) => JSON.stringify(keyId ?? address));
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
