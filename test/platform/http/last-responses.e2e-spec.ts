import { Controller, Get, HttpCode, Module, Post, Redirect, Res, Sse, StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { of } from 'rxjs';
import { AnyKey, Public } from '../../../src/platform/index.js';
import { seconds } from '../../../src/platform/kernel/clock/duration.js';
import { becomes, eventually } from '../../support/eventually.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';

/** The ways in which a module can respond. */
@Public()
@AnyKey()
@Controller('ways')
class WaysController {
  @Get('object')
  object(): object {
    return {};
  }

  @Get('nothing')
  @HttpCode(204)
  nothing(): void {
    // There is nothing to say.
  }

  @Get('error')
  error(): never {
    throw new Error('expected by the test');
  }

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('text'));
  }

  @Get('redirect')
  @Redirect('/docs')
  redirect(): void {
    // The decorator says where.
  }

  @Sse('events')
  events() {
    return of({ data: 'an event' });
  }

  @Get('end')
  end(@Res() response: Response): void {
    response.end('text');
  }

  @Get('keep-alive')
  keepAlive(@Res() response: Response): void {
    response.setHeader('Connection', 'keep-alive').end('text');
  }

  @Get('head')
  head(@Res() response: Response): void {
    response.writeHead(200, 'Fine', { connection: 'Keep-Alive', 'X-Other': 'kept' }).end('text');
  }

  @Get('head-of-a-list')
  headOfList(@Res() response: Response): void {
    response.writeHead(200, ['Connection', 'keep-alive', 'X-Other', 'kept']).end('text');
  }

  @Get('pieces')
  pieces(@Res() response: Response): void {
    response.flushHeaders();
    response.write('te');
    response.end('xt');
  }

  @Post('last')
  last(@Res() response: Response): void {
    response.setHeader('Connection', 'close').end('text');
  }
}

@Module({ controllers: [WaysController] })
class WaysModule {}

let petstore: Petstore;
let key: string;
const clients: Socket[] = [];

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule, WaysModule] });
  key = await petstore.key();
});
beforeEach(() => {
  petstore.clock.advance(60_000);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  jest.restoreAllMocks();
});
afterAll(() => petstore.stop());

/** A connection, with what has come on it and the server's end of it. */
async function open() {
  const server = petstore.app.getHttpServer();
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  clients.push(client);
  const [served] = await accepted;
  const received = { text: '' };
  client.on('data', (part) => (received.text += String(part)));
  return { client, served, received };
}

const statuses = ({ text }: { readonly text: string }) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
const connectionsOf = ({ text }: { readonly text: string }) =>
  [...text.matchAll(/^Connection: (.*)\r$/gim)].map(([, value]) => value);

/** Waits until so many responses have their headers. */
const answered = (received: { readonly text: string }, count: number) =>
  becomes(() => Math.min(connectionsOf(received).length, received.text.split('\r\n\r\n').length - 1), count);

const HOST = 'Host: petstore.test\r\n';
const CHUNKED = `${HOST}Transfer-Encoding: chunked\r\n`;
/** What HAProxy takes for the end of a request, and Node.js refuses. */
const MALFORMED_ENDS = [
  '0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '0\r\nContent-Length: 5\r\n\r\n',
  'zz\r\n',
];

describe('a request in chunks that gets its response before it is complete', () => {
  it.each<[line: string, headers: string, status: number, end: string]>([
    ...MALFORMED_ENDS.flatMap((end): [string, string, number, string][] => [
      ['GET /nowhere', '', 404, end],
      ['POST /nowhere', '', 404, end],
      ['HEAD /nowhere', '', 404, end],
    ]),
    ['POST /v1/items', 'Content-Type: application/json\r\n', 401, 'zz\r\n'],
    ['OPTIONS /v1/items', '', 204, 'zz\r\n'],
    ['GET /ways/object', '', 200, 'zz\r\n'],
    ['HEAD /ways/object', '', 200, 'zz\r\n'],
    ['GET /ways/object', 'If-None-Match: *\r\n', 304, 'zz\r\n'],
    ['GET /ways/nothing', '', 204, 'zz\r\n'],
    ['GET /ways/error', '', 500, 'zz\r\n'],
    ['GET /ways/file', '', 200, 'zz\r\n'],
    ['GET /ways/redirect', '', 302, 'zz\r\n'],
    ['GET /ways/events', '', 200, 'zz\r\n'],
    ['GET /ways/end', '', 200, 'zz\r\n'],
    ['GET /ways/keep-alive', '', 200, 'zz\r\n'],
    ['GET /ways/head', '', 200, 'zz\r\n'],
    ['GET /ways/head-of-a-list', '', 200, 'zz\r\n'],
    ['GET /ways/pieces', '', 200, 'zz\r\n'],
    ['GET /docs/swagger-ui.css', '', 200, 'zz\r\n'],
    ['GET /ways/object', 'Connection: Upgrade\r\nUpgrade: websocket\r\n', 200, 'zz\r\n'],
  ])('says that its connection ends: %s %j', async (line, headers, status, end) => {
    const { client, served, received } = await open();
    client.write(`${line} HTTP/1.1\r\n${CHUNKED}${headers}\r\n`);
    await answered(received, 1);
    expect(statuses(received)).toEqual([status]);
    expect(connectionsOf(received)).toEqual(['close']);
    client.end(end);
    await becomes(() => served.destroyed, true);
    expect(statuses(received)).toEqual([status]);
  });

  it('has other headers of the module', async () => {
    for (const path of ['head', 'head-of-a-list']) {
      const { client, received } = await open();
      client.write(`GET /ways/${path} HTTP/1.1\r\n${CHUNKED}\r\n`);
      await becomes(() => received.text.includes('text'), true);
      expect(received.text).toMatch(/^X-Other: kept\r$/m);
    }
  });

  it('gets a 100 before it, if it waits for one', async () => {
    const { client, received } = await open();
    client.write(`POST /nowhere HTTP/1.1\r\n${CHUNKED}Expect: 100-continue\r\n\r\n`);
    await answered(received, 1);
    expect(statuses(received)).toEqual([100, 404]);
    expect(connectionsOf(received)).toEqual(['close']);
  });

  it('gets it behind the responses to the requests before it', async () => {
    const { client, received } = await open();
    client.write(`GET /ways/object HTTP/1.1\r\n${HOST}\r\nPOST /nowhere HTTP/1.1\r\n${CHUNKED}\r\n`);
    await answered(received, 2);
    expect(statuses(received)).toEqual([200, 404]);
    expect(connectionsOf(received)).toEqual(['keep-alive', 'close']);
  });
});

describe('a request in chunks that is complete', () => {
  it.each([
    ['POST /v1/items', 201, '{"name":"Rex","amount":1}'],
    ['POST /v1/items', 400, '{}'],
    ['GET /v1/events', 200, 'not read'],
    ['GET /ways/events', 200, ''],
  ])('leaves its connection open: %s', async (line, status, body) => {
    const { client, received } = await open();
    const chunk = body && `${body.length.toString(16)}\r\n${body}\r\n`;
    const headers = `${CHUNKED}Content-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`;
    for (const count of [1, 2]) {
      client.write(`${line} HTTP/1.1\r\n${headers}\r\n${chunk}0\r\n\r\n`);
      await becomes(() => statuses(received).length, count);
    }
    expect(statuses(received)).toEqual([status, status]);
    expect(connectionsOf(received)).toEqual(['keep-alive', 'keep-alive']);
  });
});

describe('the last response of a connection', () => {
  const created = `{"name":"Late","amount":1}`;
  const creation = () =>
    `POST /v1/items HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\nX-Request-Id: late\r\nContent-Type: application/json\r\nContent-Length: ${created.length}\r\n\r\n${created}`;
  const isRun = async () => {
    const found = await petstore.query("SELECT FROM items WHERE name = 'Late'");
    return found.length > 0 || petstore.log.some(({ requestId }) => requestId === 'late');
  };

  it.each([
    ['before its body is complete', `POST /nowhere HTTP/1.1\r\n${CHUNKED}\r\n`, '0\r\n\r\n'],
    [
      'that a module makes the last one',
      `POST /ways/last HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\n`,
      'hello',
    ],
  ])('to a request %s: what follows is not run', async (_, head, rest) => {
    const { client, served, received } = await open();
    client.write(head);
    await answered(received, 1);
    expect(connectionsOf(received)).toEqual(['close']);
    const before = served.bytesRead;
    client.write(rest + creation());
    await becomes(() => served.bytesRead - before, rest.length + creation().length);
    await becomes(() => served.destroyed, true);
    expect(await isRun()).toBe(false);
    expect(statuses(received)).toHaveLength(1);
  });

  it('by a module leaves its client a second to send the rest of the body', async () => {
    const lingering: (() => void)[] = [];
    const { setTimeout } = globalThis;
    jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((run: () => void, ms?: number) =>
        setTimeout(ms === seconds(1) ? () => lingering.push(run) : run, ms === seconds(1) ? 0 : ms),
      );
    const { client, served, received } = await open();
    client.write(`GET /ways/end HTTP/1.1\r\n${CHUNKED}\r\n`);
    await answered(received, 1);
    expect(connectionsOf(received)).toEqual(['close']);
    const { bytesRead } = served;
    client.write(`f4240\r\n${' '.repeat(1_000_000)}`);
    await becomes(() => served.bytesRead - bytesRead >= 1_000_000, true);
    expect(served.destroyed).toBe(false);
    await eventually(() => lingering.length > 0);
    for (const run of lingering) run();
    expect(served.destroyed).toBe(true);
  });
});
