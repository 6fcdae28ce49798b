import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWhereFound } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Haproxy } from '../support/haproxy.js';
import { readText } from '../support/repository.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describeWhereFound('haproxy', 'deploy/haproxy/haproxy.cfg', () => {
  const replicas: Server[] = [];
  let proxy: Haproxy | undefined;

  afterEach(async () => {
    await proxy?.stop();
    for (const replica of replicas.splice(0)) {
      replica.close();
      replica.closeAllConnections();
    }
  });

  /** A replica that is ready, unless `health` says how it answers. @returns its port */
  async function replica(
    answer: RequestListener = (_, response) => response.end('{}'),
    health: RequestListener = (_, response) => response.end('{}'),
  ): Promise<number> {
    const server = createServer((request, response) => {
      (request.url === '/health/ready' ? health : answer)(request, response);
    });
    replicas.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }
  const start = async (...args: Parameters<typeof Haproxy.start>) => (proxy = await Haproxy.start(...args));
  const echo: RequestListener = (request, response) => response.end(JSON.stringify(request.headers));

  describe('the address of a client', () => {
    const CLIENT = { 'X-Forwarded-For': '198.51.100.7, 203.0.113.9', 'X-Forwarded-Proto': 'https' };

    it.each([
      ['replaces what a client says', undefined, CLIENT, '127.0.0.1', 'http'],
      [
        'keeps what a trusted proxy says',
        '10.0.0.0/8 127.0.0.0/8',
        CLIENT,
        '198.51.100.7, 203.0.113.9',
        'https',
      ],
      ['is that of a trusted proxy that names no client', '127.0.0.1', {}, '127.0.0.1', 'http'],
    ])('%s', async (_, trusted, sent, address, scheme) => {
      const env: Record<string, string> = trusted === undefined ? {} : { PETSTORE_TRUSTED_PROXY: trusted };
      const { get } = await bound(await start([await replica(echo)], { env }));
      expect(JSON.parse((await get('/', sent)).body)).toMatchObject({
        'x-forwarded-for': address,
        'x-forwarded-proto': scheme,
      });
    });
  });

  const bound = async (started: Haproxy) => {
    await eventually(async () => (await started.get('/')).status === 200);
    return { get: (path: string, headers?: Record<string, string>) => started.get(path, headers) };
  };

  describe('connections', () => {
    it('of one address are limited, and others notice nothing', async () => {
      const started = await start([await replica()], { env: { PETSTORE_CONNECTIONS: '50' } });
      await bound(started);
      const kept = await started.hold(200);
      await eventually(() => kept() === 50);
      await expect(started.get('/')).rejects.toThrow();
      expect((await started.get('/', {}, '127.0.0.2')).status).toBe(200);
      expect((await started.own('/health')).status).toBe(200);
    });

    it('of a trusted proxy are not limited', async () => {
      const env = { PETSTORE_CONNECTIONS: '50', PETSTORE_TRUSTED_PROXY: '127.0.0.1' };
      const started = await start([await replica()], { env });
      await bound(started);
      const kept = await started.hold(200);
      expect((await started.get('/')).status).toBe(200);
      expect(kept()).toBe(200);
    });

    it('that use up all of the proxy leave its own health check and metrics alone', async () => {
      const full = [['maxconn 8000', 'maxconn 20']] as const;
      const started = await start([await replica()], { replaced: full });
      await bound(started);
      await started.hold(60);
      expect((await started.own('/health')).status).toBe(200);
      const { body } = await started.own('/metrics');
      expect(body).toMatch(/^haproxy_frontend_current_sessions\{proxy="public"\} 20$/m);
    });
  });

  describe('replicas', () => {
    it('that are overloaded and answer the check late stay in use', async () => {
      let checks = 0;
      const late: RequestListener = (_, response) => {
        checks += 1;
        setTimeout(() => response.end('{}'), 3_000);
      };
      const started = await start([await replica(undefined, late)]);
      await eventually(() => checks >= 4); // two late answers in a row would have been enough
      expect((await started.get('/')).status).toBe(200);
      expect((await started.own('/metrics')).body).toMatch(
        /^haproxy_server_status\{proxy="petstore",server="petstore0",state="UP"\} 1$/m,
      );
    });

    it('that say that they are not ready get requests only if no other is', async () => {
      const name =
        (own: string): RequestListener =>
        (_, response) =>
          response.end(own);
      let isReady = false;
      const health: RequestListener = (_, response) => response.writeHead(isReady ? 200 : 503).end();
      const ports = [await replica(name('first'), health), await replica(name('second'), health)];
      const started = await start(ports);
      await eventually(async () => {
        const answers = await Promise.all([1, 2, 3, 4].map(() => started.get('/')));
        return answers.every(({ status }) => status === 200); // their own answers
      });
      isReady = true;
      await eventually(async () =>
        (await started.own('/metrics')).body.includes('petstore",server="petstore1",state="UP"} 1'),
      );
      expect((await started.get('/')).status).toBe(200);
    });
  });

  describe('its own errors', () => {
    it('end a request that is malformed, too large or too slow', async () => {
      const quick = [['timeout http-request 10s', 'timeout http-request 1s']] as const;
      const started = await start([await replica()], { replaced: quick });
      await bound(started);
      const header = (text: string) => started.raw(`GET / HTTP/1.1\r\nHost: a\r\n${text}`);
      expect(await header('bad header\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
      expect(await header(`X: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
      expect(await header('')).toMatch(/^HTTP\/1.1 408 /);
    });

    it('leave headers of 16 to 31 KiB to the service, which answers 431', async () => {
      const started = await start([await replica()]);
      const { get } = await bound(started);
      expect((await get('/', { X: 'x'.repeat(20_000) })).status).toBe(431);
    });

    it.each([
      ['503 without a replica', 503, undefined],
      ['502 if a replica closes the connection', 502, (request: IncomingMessage) => request.socket.destroy()],
    ])('are %s, with the request id', async (_, status, answer) => {
      const started = await start([answer ? await replica(answer) : await freePort()]);
      await eventually(async () => (await started.get('/')).status === status);
      const { headers, body } = await started.get('/');
      expect(JSON.parse(body)).toMatchObject({ code: 'service_unavailable', status });
      expect(headers).toMatchObject({
        'retry-after': '1',
        'x-request-id': expect.stringMatching(UUID) as unknown,
      });
      const own = await started.get('/', { 'X-Request-Id': 'mine-1' });
      expect(own.headers['x-request-id']).toBe('mine-1');
    });
  });

  it('passes on a request id as the service accepts it, and otherwise makes one', async () => {
    const { get } = await bound(await start([await replica(echo)]));
    const idOf = async (sent?: string) => {
      const { body, headers } = await get('/', sent === undefined ? {} : { 'X-Request-Id': sent });
      const { 'x-request-id': passed } = JSON.parse(body) as Record<string, string>;
      expect(headers['x-request-id']).toBe(passed);
      return passed;
    };
    expect(await idOf('a'.repeat(128))).toBe('a'.repeat(128));
    for (const sent of [undefined, 'a b', 'a'.repeat(129)]) expect(await idOf(sent)).toMatch(UUID);
  });

  it('keeps probes and metrics of the service to itself', async () => {
    const started = await start([await replica()]);
    const { get } = await bound(started);
    for (const path of ['/health/ready', '/health/live/', '/metrics', '/metrics?a']) {
      const { status, headers, body } = await get(path);
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json']);
      expect(JSON.parse(body)).toMatchObject({ code: 'route_not_found', status: 404 });
      expect(headers['x-request-id']).toMatch(UUID);
    }
    const absolute = 'GET http://a/health/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    expect(await started.raw(absolute)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('says whether a replica is ready, to deploy/backup/target.sh', async () => {
    let isReady = false;
    const port = await replica(undefined, (_, response) => response.writeHead(isReady ? 200 : 503).end());
    const started = await start([port]);
    await eventually(async () => (await started.own('/ready')).status === 503);
    isReady = true;
    await eventually(async () => (await started.own('/ready')).status === 200);
  });

  it('exports what the alerts ask for', async () => {
    const started = await start([await replica()]);
    await bound(started);
    const { body } = await started.own('/metrics');
    const named = [...readText('deploy/prometheus/stack-alerts.yml').matchAll(/\bhaproxy_\w+/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const [name] of named) expect(body).toMatch(new RegExp(`^${name}\\{`, 'm'));
  });
});
