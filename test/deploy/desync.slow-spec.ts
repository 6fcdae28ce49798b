import { randomInt, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describeWhereFound } from '../support/describe-with.js';
import { eventually } from '../support/eventually.js';
import { Haproxy } from '../support/haproxy.js';
import { Petstore } from '../support/petstore.js';
import { ServiceProcesses } from '../support/service-process.js';

// eslint-disable-next-line no-restricted-properties -- a setting of the test, not of the service
const { DESYNC_SEED, DESYNC_ATTACKS } = process.env;
const SEED = Number(DESYNC_SEED ?? randomInt(1, 1_000_000));
const ATTACKS = Number(DESYNC_ATTACKS ?? 3_000);
const ATTACKERS = 16;
const VICTIMS = 8;
/** An attacker waits no longer for a response. Milliseconds. */
const ABANDONS_AFTER = 250;

/** Lines about the length of a body, most of them wrong or ambiguous. `#` is the length of what follows. */
const FRAMINGS = [
  '',
  'Content-Length: #',
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: +5',
  'Content-Length: 05',
  'Content-Length: 0x5',
  'Content-Length: 5, 5',
  'Content-Length: 5\r\nContent-Length: #',
  'Content-Length : #',
  'Content-Length: 99999',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'X: y\nTransfer-Encoding: chunked',
  'Content-Length: #\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 5',
  'Content-Length: 5\r\nTransfer-Encoding : chunked',
  'Content-Length: 0\r\nTransfer-Encoding: xchunked',
  'Connection: Content-Length\r\nContent-Length: #',
  'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: #',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Expect: 100-continue\r\nContent-Length: #',
  'Expect: 100-continue\r\nTransfer-Encoding: chunked',
  'Expect: something\r\nContent-Length: #',
  'Connection: close\r\nContent-Length: 5',
];

/** Bodies that end before, with or after a second request. `@` is that request. */
const BODIES = [
  '@',
  'hello@',
  '5\r\nhello\r\n0\r\n\r\n@',
  '0\r\n\r\n@',
  '0\r\nContent-Length: 5\r\n\r\n@',
  '0\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n@',
  '5;a=b\r\nhello\r\n0\r\n\r\n@',
  '5;a="\r\n"\r\nhello\r\n0\r\n\r\n@',
  '0x5\r\nhello\r\n0\r\n\r\n@',
  '5 \r\nhello\r\n0\r\n\r\n@',
  '-1\r\nhello\r\n0\r\n\r\n@',
  'fffffffffffffffff\r\nhello\r\n0\r\n\r\n@',
  '5\nhello\n0\n\n@',
  '5\r\nhello0\r\n\r\n@',
  '5\r\nhel',
];

/** HAProxy takes these for complete and passes them on, and Node.js refuses their last line after it has responded. */
const COMPLETE_FOR_ONE = ['Transfer-Encoding: chunked', 'Content-Length: 5'].map(
  (trailer) =>
    `POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${trailer}\r\n\r\n`,
);

const LINES = [
  'GET /v1/pets HTTP/1.1',
  'POST /v1/pets HTTP/1.1',
  'PATCH /v1/pets/1 HTTP/1.1',
  'HEAD /v1/pets HTTP/1.1',
  'OPTIONS /v1/pets HTTP/1.1',
  'DELETE /v1/nothing HTTP/1.1',
  'CONNECT /v1/pets HTTP/1.1',
  'POST http://other/v1/pets HTTP/1.1',
  'POST /v1/pets HTTP/1.0',
  'GET /v1/pets HTTP/1.0',
  'POST /v1/pets?a=b HTTP/1.1',
  'POST  /v1/pets HTTP/1.1',
  'POST /docs HTTP/1.1',
];

describeWhereFound(
  'haproxy',
  `connections that clients share, beside malformed requests (DESYNC_SEED=${SEED}),`,
  () => {
    let petstore: Petstore;
    let services: ServiceProcesses;
    let proxy: Haproxy;
    let attackerKey: string;
    let key: string;

    beforeAll(async () => {
      petstore = await Petstore.start(); // for its database and keys in it
      services = await ServiceProcesses.on(petstore.databaseUrl, { TRUST_PROXY: '1' });
      const replicas = [await services.start(), await services.start()];
      proxy = await Haproxy.start(replicas.map(({ url }) => Number(new URL(url).port)));
      [attackerKey, key] = [await petstore.key(), await petstore.key()];
      await eventually(async () => (await proxy.get('/openapi.json')).status === 200);
    });
    afterAll(async () => {
      await proxy.stop();
      await services.stop();
      await petstore.stop();
    });

    let state = SEED;
    /** Mulberry32. */
    const random = (below: number): number => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) % below;
    };
    const pick = (list: readonly string[]): string => list[random(list.length)] ?? '';

    function malformed(): string {
      if (random(4) === 0) return pick(COMPLETE_FOR_ONE);
      const second = `GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${attackerKey}\r\nX-Request-Id: smuggled\r\n\r\n`;
      const body = pick(BODIES).replace('@', () => second);
      const framing = pick(FRAMINGS).replaceAll('#', String(body.length));
      const head = `${pick(LINES)}\r\nHost: a\r\nAuthorization: Bearer ${attackerKey}\r\nContent-Type: application/json\r\n`;
      return `${head}${framing}${framing && '\r\n'}\r\n${body}`;
    }

    /** Sends it in one or two packets, and reads what comes or goes away at once. @returns the first status */
    const attack = (bytes: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(proxy.port, '127.0.0.1');
        let read = '';
        const cut = random(2) === 0 ? bytes.length : random(bytes.length);
        const isHasty = random(4) === 0;
        socket.setTimeout(ABANDONS_AFTER, () => socket.destroy());
        socket.on('data', (chunk: Buffer) => (read += chunk.toString('latin1')));
        socket.on('error', () => undefined);
        socket.on('close', () => {
          resolve(/^HTTP\/1\.[01] (\d+)/.exec(read)?.[1] ?? 'none');
        });
        socket.write(bytes.slice(0, cut), 'latin1', () => {
          socket.write(bytes.slice(cut), 'latin1', () => isHasty && socket.destroy());
        });
      });

    it('each gets a response, and none that of another', async () => {
      let answered = 0;
      const hungUp: unknown[] = [];
      const wrong: unknown[] = [];
      const send = (agent: Agent, method: string, path: string, body?: object) =>
        new Promise<Record<string, unknown> | undefined>((resolve) => {
          const id = randomUUID();
          const headers = {
            Authorization: `Bearer ${key}`,
            'Content-Type': 'application/json',
            'X-Request-Id': id,
          };
          const sent = request(
            { host: '127.0.0.1', port: proxy.port, agent, method, path, headers },
            (response) => {
              void text(response).then((received) => {
                answered++;
                const isOwn = response.headers['x-request-id'] === id;
                if (!isOwn || (response.statusCode ?? 0) >= 300)
                  wrong.push({
                    method,
                    path,
                    id,
                    status: response.statusCode,
                    headers: response.headers,
                    received,
                  });
                resolve(JSON.parse(received) as Record<string, unknown>);
              });
            },
          );
          // The proxy hangs up if a replica ends a shared connection without having said `Connection: close` on it.
          sent.on('error', ({ message }) => {
            hungUp.push({ method, path, message });
            resolve(undefined);
          });
          sent.end(body && JSON.stringify(body));
        });
      let isRunning = true;
      const victim = async () => {
        const agent = new Agent({ keepAlive: true }); // with one connection, which is never idle long enough for the proxy to close it
        while (isRunning) {
          const name = randomUUID();
          const pet = await send(agent, 'POST', '/v1/pets', { name, categoryId: 7 });
          if (!pet) continue;
          const path = `/v1/pets/${String(pet.id)}`;
          const seen = [
            pet,
            await send(agent, 'GET', path),
            await send(agent, 'PATCH', path, { status: 'sold' }),
          ];
          for (const each of seen) if (each && each.name !== name) wrong.push({ name, seen });
        }
        agent.destroy();
      };
      const victims = Array.from({ length: VICTIMS }, victim);

      let left = ATTACKS;
      const statuses: Record<string, number> = {};
      const attacker = async () => {
        while (left-- > 0) {
          const status = await attack(malformed());
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: ATTACKERS }, attacker));
      isRunning = false;
      await Promise.all(victims);
      expect(wrong.slice(0, 5)).toEqual([]);
      expect(answered).toBeGreaterThan(100);
      expect(hungUp).toEqual([]);
      expect(Object.keys(statuses).length).toBeGreaterThan(3); // some were requests, and others were refused
    });
  },
);
