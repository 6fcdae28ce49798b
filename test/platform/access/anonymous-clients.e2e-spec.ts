import { Controller, Get, Module } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { ApiKeysRepository } from '../../../src/platform/access/keys/api-keys.repository.js';
import { makeSecret } from '../../../src/platform/access/keys/secret.js';
import { minutes } from '../../../src/platform/kernel/clock/duration.js';
import { eventually } from '../../support/eventually.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { Petstore } from '../../support/petstore.js';

const PER_MINUTE = 8;
const MAX_FAILED = 10;
const PREFLIGHT = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };

@Controller({ path: 'skipped', version: '1' })
class SkippedController {
  @Get()
  @SkipThrottle()
  get(): object {
    return {};
  }
}

@Module({ controllers: [SkippedController] })
class SkippedModule {}

let petstore: Petstore;
let proxy: TcpProxy;
let addresses = 0;

/** A client without a key, at an address that no other test uses. */
function anonymous(address = `192.0.2.${++addresses}`) {
  const send = (path = '/v1/events', key?: string) =>
    petstore.client(key).set('X-Forwarded-For', address).get(path);
  const times = async (count: number, path?: string, key?: () => string) => {
    const responses = await Promise.all(Array.from({ length: count }, async () => send(path, key?.())));
    return responses.map(({ status }) => status);
  };
  return { address, send, times };
}

const count = (statuses: number[], status: number) => statuses.filter((other) => other === status).length;
const remaining = ({ headers }: { headers: Record<string, string> }) =>
  Number(headers['x-ratelimit-remaining']);

beforeAll(async () => {
  petstore = await Petstore.start({
    env: { TRUST_PROXY: '1', ANONYMOUS_PER_MINUTE: String(PER_MINUTE) },
    modules: [SkippedModule],
    through: async (url) => (proxy = await TcpProxy.to(url)),
  });
});
afterAll(async () => {
  await petstore.stop();
  proxy.remove();
});

describe('a client without a valid key', () => {
  it.each(['/v1/rate-limit', '/v1/skipped'])('is charged for %s like for any other path', async (path) => {
    const { send, times } = anonymous();
    const statuses = await times(PER_MINUTE + 10, path);
    expect(count(statuses, 401)).toBe(PER_MINUTE);
    expect(count(statuses, 429)).toBe(10);
    expect((await send()).status).toBe(429);
  });

  it('is charged for a preflight if CORS is off', async () => {
    const { address } = anonymous();
    const preflight = () =>
      petstore.client().set('X-Forwarded-For', address).options('/v1/events').set(PREFLIGHT);
    for (let i = 0; i < PER_MINUTE; i++) expect((await preflight()).status).toBe(204);
    expect((await preflight()).status).toBe(429);
  });

  describe('that sends made-up keys', () => {
    let findByHash: jest.SpiedFunction<ApiKeysRepository['findByHash']>;
    beforeEach(() => {
      findByHash = jest.spyOn(petstore.app.get(ApiKeysRepository), 'findByHash');
    });
    afterEach(() => {
      findByHash.mockRestore();
    });

    it('is charged for each request, but a valid key at its address is never refused because of it', async () => {
      const { send } = anonymous();
      for (let i = 0; i < MAX_FAILED * 2; i++)
        expect((await send('/v1/events', makeSecret())).status).toBe(i < PER_MINUTE ? 401 : 429);
      expect((await send('/v1/events', await petstore.key())).status).toBe(200);
      expect(findByHash).toHaveBeenCalledTimes(MAX_FAILED * 2 + 1);
    });

    it('has one look-up at a time after 10 failed ones in a minute', async () => {
      const { send, times } = anonymous();
      for (let i = 0; i < MAX_FAILED; i++) await send('/v1/events', makeSecret());
      const original = new ApiKeysRepository(petstore.app.get(DataSource));
      let running = 0;
      let most = 0;
      findByHash.mockImplementation(async (hash) => {
        most = Math.max(most, ++running);
        return original.findByHash(hash).finally(() => running--);
      });
      const valid = await Promise.all(Array.from({ length: 20 }, () => petstore.key()));
      const [made, ...found] = await Promise.all([
        times(60, '/v1/events', makeSecret),
        ...valid.map((key) => send('/v1/events', key)),
      ]);
      expect(found.map(({ status }) => status)).toEqual(valid.map(() => 200));
      expect(made.every((status) => [401, 429, 503].includes(status))).toBe(true);
      expect(most).toBe(1);
      petstore.clock.advance(minutes(1));
      await times(5, '/v1/events', makeSecret);
      expect(most).toBeGreaterThan(1);
    });

    it('gets 503, charged to nobody, if more than 100 of its look-ups wait', async () => {
      const { send } = anonymous();
      for (let i = 0; i < MAX_FAILED; i++) await send('/v1/events', makeSecret());
      petstore.clock.advance(minutes(1) - 1); // the quota begins anew, the failures still count
      let goOn: () => void = () => undefined;
      const gate = new Promise<null>(
        (resolve) =>
          (goOn = () => {
            resolve(null);
          }),
      );
      findByHash.mockImplementation(() => gate);
      let refused = 0; // by the responses: the log may still get lines of the test before
      const sent = Promise.all(
        Array.from({ length: 150 }, async () => {
          const { status } = await send('/v1/events', makeSecret());
          if (status === 503) refused += 1;
          return status;
        }),
      );
      await eventually(() => refused >= 49);
      goOn();
      const statuses = await sent;
      expect(count(statuses, 503)).toBeGreaterThanOrEqual(49);
      expect(statuses.every((status) => [401, 429, 503].includes(status))).toBe(true);
    });
  });

  it('does not affect valid keys at its address, however many are looked up concurrently', async () => {
    const { send, address } = anonymous();
    const keys: string[] = [];
    while (keys.length < MAX_FAILED + 10) keys.push(await petstore.key());
    const responses = await Promise.all(
      keys.map(async (key) => petstore.client(key).set('X-Forwarded-For', address).get('/v1/events')),
    );
    expect(responses.map(({ status }) => status)).toEqual(keys.map(() => 200));
    expect(remaining(await send())).toBe(PER_MINUTE - 1);
  });

  it('does not affect a valid key that this process has not seen, although the address is exhausted', async () => {
    const { send, times } = anonymous();
    await times(PER_MINUTE + 10);
    expect((await send()).status).toBe(429);
    expect((await send('/v1/events', await petstore.key())).status).toBe(200);
  });

  it('does not make a key wait that could not be looked up', async () => {
    const { send, times } = anonymous();
    await times(PER_MINUTE + 10);
    const { status, headers } = await send();
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(30);
    const key = await petstore.key();
    proxy.cut();
    const unknown = await send('/v1/events', key);
    proxy.mend();
    petstore.clock.advance(1_000); // PostgreSQL is queried again only after this
    expect(unknown.status).toBe(503);
    expect(unknown.headers['retry-after']).toBe('1');
    expect((await send('/v1/events', key)).status).toBe(200);
  });

  it('is not charged for a key that could not be looked up', async () => {
    const { send, times } = anonymous();
    proxy.cut();
    const statuses = await times(PER_MINUTE + 10, '/v1/events', makeSecret);
    proxy.mend();
    petstore.clock.advance(1_000); // PostgreSQL is queried again only after this
    expect(statuses).toEqual(Array(PER_MINUTE + 10).fill(503));
    expect(remaining(await send())).toBe(PER_MINUTE - 1);
  });
});

describe('GET /v1/rate-limit with a key', () => {
  it('is free 60 times a minute, and then counts like any other request', async () => {
    const client = petstore.client(await petstore.key('free'));
    const ask = async (times: number) => {
      for (let i = 1; i < times; i++) await client.get('/v1/rate-limit');
      return client.get('/v1/rate-limit');
    };
    expect(remaining(await ask(60))).toBe(60);
    expect(remaining(await ask(60))).toBe(0);
    expect((await ask(1)).status).toBe(429);
    petstore.clock.advance(minutes(1));
    expect(remaining(await ask(60))).toBe(60);
  });
});
