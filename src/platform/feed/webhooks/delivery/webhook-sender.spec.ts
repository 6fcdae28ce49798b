import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../../../../../test/support/eventually.js';
import { EndpointAddresses } from './endpoint-addresses.js';
import { WebhookSender } from './webhook-sender.js';

/** Resolves a name to the given addresses, one after the other. */
class FakeResolver {
  readonly asked: string[] = [];

  constructor(private readonly addresses: Record<string, string[][]>) {}

  resolve(host: string): Promise<string[]> {
    this.asked.push(host);
    const addresses = this.addresses[host] ?? [];
    return Promise.resolve((addresses.length > 1 ? addresses.shift() : addresses[0]) ?? [host]);
  }
}

const BODY = '{"type":"pet.created"}';

describe('WebhookSender', () => {
  const servers: Server[] = [];
  const senders: WebhookSender[] = [];

  afterEach(() => {
    for (const sender of senders.splice(0)) sender.onApplicationShutdown();
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
    jest.restoreAllMocks();
  });

  const serve = async (listener: RequestListener): Promise<number> => {
    const server = createServer(listener);
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const sender = (addresses: Record<string, string[][]> = {}, networks = ['127.0.0.0/8']) => {
    const resolver = new FakeResolver(addresses);
    const made = new WebhookSender(
      new EndpointAddresses({ allowedNetworks: networks, secretKeys: [], worker: false }, resolver as never),
    );
    senders.push(made);
    return { resolver, send: (url: string, signal?: AbortSignal) => made.send(url, {}, BODY, signal) };
  };

  it('posts the body and reports the status', async () => {
    const received: [IncomingMessage['method'], string][] = [];
    const port = await serve((request, response) => {
      void text(request).then((body) => {
        received.push([request.method, body]);
        response.writeHead(204).end();
      });
    });
    expect(await sender().send(`http://127.0.0.1:${port}/hook`)).toEqual({ status: 204 });
    expect(received).toEqual([['POST', BODY]]);
  });

  it.each([
    ['a private address', 'http://10.0.0.1/', []],
    ['a private address with TLS', 'https://10.0.0.1/', []],
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data/', []],
    ['an IPv4 address as a number', 'http://2130706433/', []],
    ['loopback over IPv6', 'https://[::1]/', []],
    ['an IPv4-mapped IPv6 address', 'https://[::ffff:127.0.0.1]/', []],
    ['an IPv4 address behind NAT64', 'https://[64:ff9b::a00:1]/', []],
    ['a public address without TLS', 'http://8.8.8.8/', []],
    ['an address outside the allowed networks', 'http://127.0.0.1/', ['10.0.0.0/8']],
  ])('does not connect to %s', async (_, url, networks) => {
    expect(await sender({}, networks).send(url)).toEqual({ error: 'address_refused' });
  });

  it('does not connect to a name with a private address, even if it also has a public one', async () => {
    const { send } = sender({ 'in.test': [['10.0.0.1']], 'both.test': [['8.8.8.8', '127.0.0.1']] }, []);
    expect(await send('https://in.test/')).toEqual({ error: 'address_refused' });
    expect(await send('https://both.test/')).toEqual({ error: 'address_refused' });
  });

  it('connects to the addresses that it checked, even if the name resolves differently a moment later', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    const { resolver, send } = sender({ 'rebind.test': [['127.0.0.1'], ['10.0.0.1']] });
    expect(await send(`http://rebind.test:${port}/`)).toEqual({ status: 200 });
    expect(resolver.asked).toEqual(['rebind.test']);
    // A new connection resolves the name again and is refused.
    servers[0]?.closeIdleConnections();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await send(`http://rebind.test:${port}/`)).toEqual({ error: 'address_refused' });
  });

  it('reports a name without addresses as one with a private address: neither says which internal names exist', async () => {
    expect(await sender({ 'none.test': [[]] }).send('https://none.test/')).toEqual({
      error: 'address_refused',
    });
  });

  it.each([
    [429, '7', { retryAfter: 7_000 }],
    [503, '3600', { retryAfter: 3_600_000 }],
    [503, '86400', { retryAfter: 3_600_000 }],
    [503, '9'.repeat(400), { retryAfter: 3_600_000 }],
    [503, 'Sun, 06 Nov 1994 08:49:57 GMT', { retryAfter: 20_000 }],
    [503, 'Sun, 06 Nov 1994 08:49:00 GMT', {}],
    [503, '-5', {}],
    [503, 'soon', {}],
    [503, 'After 3600', {}],
    [503, 'Try 2050', {}],
    [500, '7', {}],
    [200, '7', undefined],
  ])('reads Retry-After of a %i with %s', async (status, value, expected) => {
    const port = await serve((_, response) => {
      response.writeHead(status, { 'Retry-After': value, Date: 'Sun, 06 Nov 1994 08:49:37 GMT' }).end();
    });
    expect(await sender().send(`http://127.0.0.1:${port}/`)).toEqual(
      expected ? { status, error: 'http_status', ...expected } : { status },
    );
  });

  it('reports a closed port, and a server without TLS', async () => {
    const { send } = sender();
    const port = await serve((_, response) => response.end());
    expect(await send(`https://127.0.0.1:${port}/`)).toEqual({ error: 'tls_failed' });
    servers[0]?.closeAllConnections();
    await new Promise((resolve) => servers[0]?.close(resolve));
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ error: 'connection_failed' });
  });

  it('does not read an endless response', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(16_384);
    const port = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', more);
      more();
    });
    expect(await sender().send(`http://127.0.0.1:${port}/`)).toEqual({ status: 200 });
    expect(sent).toBeLessThan(16 * 1024 * 1024); // what the sockets of both sides buffer, but not an endless stream
  });

  describe('settles within the timeout and closes the connection, whatever the peer does', () => {
    const TIMED_OUT = { error: 'timeout' };
    const peers: TcpServer[] = [];

    /** @param milliseconds instead of the time that the service allows */
    const allow = (milliseconds: number) => {
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(milliseconds));
    };
    afterEach(() => {
      for (const peer of peers.splice(0)) peer.close();
    });

    /** A peer that behaves this way on each connection, once it has received data. */
    const behave = async (behaviour: (socket: Socket) => void) => {
      const closed: Promise<unknown>[] = [];
      const peer = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        closed.push(new Promise((resolve) => socket.on('close', resolve)));
        socket.once('data', () => {
          behaviour(socket);
        });
      });
      peers.push(peer);
      await once(peer.listen(0, '127.0.0.1'), 'listening');
      return { port: (peer.address() as AddressInfo).port, closed };
    };
    const dripping = (head: string, drop: string) => (socket: Socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write(drop), 5);
      socket.on('close', () => {
        clearInterval(timer);
      });
    };
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

    it.each([
      [
        'switches protocols',
        'http',
        (socket: Socket) => socket.write(upgrade),
        { status: 101, error: 'http_status' },
      ],
      [
        'switches protocols and keeps sending',
        'http',
        dripping(upgrade, 'x'),
        { status: 101, error: 'http_status' },
      ],
      ['sends 1xx forever', 'http', dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), TIMED_OUT],
      ['sends headers forever', 'http', dripping('HTTP/1.1 200 OK\r\n', 'a: b\r\n'), TIMED_OUT],
      ['sends a header that never ends', 'http', dripping('HTTP/1.1 200 OK\r\na: ', 'b'), TIMED_OUT],
      ['sends a body forever', 'http', dripping(chunked, '1\r\na\r\n'), { status: 200 }],
      [
        'fails, and sends a body forever',
        'http',
        dripping(chunked.replace('200', '500'), '1\r\na\r\n'),
        { status: 500, error: 'http_status' },
      ],
      ['sends a trailer that never ends', 'http', dripping(`${chunked}0\r\na: `, 'b'), { status: 200 }],
      [
        'sends less than its Content-Length',
        'http',
        (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na'),
        { status: 200 },
      ],
      ['says nothing', 'http', () => undefined, TIMED_OUT],
      ['stalls the TLS handshake', 'https', () => undefined, TIMED_OUT],
      ['sends a TLS record that never ends', 'https', dripping('\x16\x03\x03\x40\x00', '\x02'), TIMED_OUT],
      ['closes without a response', 'http', (socket: Socket) => socket.end(), { error: 'connection_failed' }],
      [
        'resets the connection',
        'http',
        (socket: Socket) => socket.resetAndDestroy(),
        { error: 'connection_failed' },
      ],
      [
        'closes in the middle of a header',
        'http',
        (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\na: b'),
        { error: 'connection_failed' },
      ],
      [
        'closes in the middle of the body',
        'http',
        (socket: Socket) => socket.end(`${chunked}5\r\na`),
        { status: 200 },
      ],
      [
        'asks for a pause, and closes in the middle of the body',
        'http',
        (socket: Socket) => socket.end('HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 9\r\n\r\na'),
        { status: 503, error: 'http_status', retryAfter: 7_000 },
      ],
      [
        'sends a body that is no chunk',
        'http',
        (socket: Socket) => socket.write(`${chunked}no chunk`),
        { status: 200 },
      ],
      [
        'does not speak HTTP',
        'http',
        (socket: Socket) => socket.write('220 mail.example.com ESMTP\r\n'),
        { error: 'connection_failed' },
      ],
    ] as [string, string, (socket: Socket) => void, object][])(
      '%s',
      async (_, protocol, behaviour, outcome) => {
        allow(outcome === TIMED_OUT ? 300 : 60_000); // no other outcome may depend on the time
        const { port, closed } = await behave(behaviour);
        expect(await sender().send(`${protocol}://127.0.0.1:${port}/`)).toEqual(outcome);
        await eventually(() => closed.length === 1); // the peer may not have accepted it yet
        await closed[0];
      },
    );

    it('never resolves the host name', async () => {
      allow(300);
      const { resolver, send } = sender();
      resolver.resolve = () => new Promise(() => undefined);
      expect(await send('https://silent.test/')).toEqual({ error: 'timeout' });
    });
  });

  it('ends early when aborted', async () => {
    const controller = new AbortController();
    const port = await serve(() => {
      controller.abort();
    });
    expect(await sender().send(`http://127.0.0.1:${port}/`, controller.signal)).toBeUndefined();
  });

  it('reuses a connection, and sends again if the endpoint has just closed it', async () => {
    const connections = new Set<unknown>();
    const port = await serve((request, response) => {
      connections.add(request.socket);
      request.resume();
      request.on('end', () => {
        response.end();
        if (connections.size === 1 && request.url === '/last')
          response.once('finish', () => request.socket.destroy());
      });
    });
    const { send } = sender();
    for (const path of ['/', '/', '/last']) {
      expect(await send(`http://127.0.0.1:${port}${path}`)).toEqual({ status: 200 });
    }
    expect(connections.size).toBe(1);
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ status: 200 });
    expect(connections.size).toBe(2);
  });
});
