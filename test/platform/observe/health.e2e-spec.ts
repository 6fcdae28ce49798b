import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { DataSource, type QueryRunner } from 'typeorm';
import { minutes, seconds } from '../../../src/platform/kernel/clock/duration.js';
import { HealthModule, Readiness } from '../../../src/platform/index.js';
import { makeSecret } from '../../../src/platform/access/keys/secret.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { PREFIX } from '../../support/prefix.js';
import { describeWithRedis, RedisServer } from '../../support/redis-server.js';
import { whileLocked } from '../../support/table-lock.js';
import { withClient } from '../../support/test-database.js';
import { bearer, type RawResponse, send, valuesOf } from '../../support/wire.js';

const LIVE = '/health/live';
const READY = '/health/ready';

let petstore: Petstore;
let proxy: TcpProxy;

beforeAll(async () => {
  petstore = await Petstore.start({ through: async (url) => (proxy = await TcpProxy.to(url)) });
  await becomes(200); // the first check may exceed its second on a loaded machine
});
afterAll(async () => {
  await petstore.stop();
  proxy.remove();
});

const ask = (path: string, method = 'GET') => send(petstore, { path, method });
const ready = () => ask(READY);
const bodyOf = ({ body }: RawResponse): unknown => JSON.parse(body);
const reason = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;
const linesAbout = (response: RawResponse) =>
  petstore.log.filter(({ requestId }) => requestId === valuesOf(response, 'X-Request-Id')[0]);
const becomes = (status: number) => eventually(async () => (await ready()).status === status);
/** Its response once its checks take less than their second, which they may exceed on a busy machine. */
async function answer(
  ask: () => Promise<RawResponse>,
  status: number,
  message?: string,
): Promise<RawResponse> {
  let response: RawResponse | undefined;
  await eventually(async () => {
    response = await ask();
    const { message: said } = bodyOf(response) as { message?: string };
    return response.status === status && said === message;
  });
  if (!response) throw new Error('There was no response.');
  return response;
}

describe.each([LIVE, READY])('%s', (path) => {
  it('returns 200 without a key, is not counted and not cached', async () => {
    const response = await answer(() => ask(path), 200);
    expect(bodyOf(response)).toMatchObject({ status: 'ok' });
    expect(valuesOf(response, 'Content-Type')).toEqual(['application/json']);
    expect(valuesOf(response, 'Cache-Control')).toEqual(['no-store']);
    expect(valuesOf(response, 'X-Request-Id')).toHaveLength(1);
    expect(response.headers.filter(([name]) => /ratelimit/i.test(name))).toEqual([]);
    await eventually(async () => (await ask(path, 'HEAD')).status === 200);
    expect((await ask(path, 'HEAD')).body).toBe('');
  });
});

describe(`GET ${READY}`, () => {
  it('names what it checked', async () => {
    const { details } = bodyOf(await answer(ready, 200)) as { details: unknown };
    expect(details).toEqual({
      database: expect.objectContaining({ status: 'up' }) as unknown,
      migrations: expect.objectContaining({ status: 'up' }) as unknown,
    });
  });

  it('queries the database once for concurrent probes, and waits a second for it', async () => {
    const waiting = async () => {
      const [row] = await petstore.query<{ count: unknown }>(
        `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock' AND query LIKE 'SELECT name FROM migrations%'`,
      );
      return Number(row?.count);
    };
    await whileLocked(petstore.databaseUrl, 'migrations', async () => {
      const probes: Promise<RawResponse>[] = [];
      let seen = 0; // asked only once: a moment later, the query may have had its second
      const isSeen = async () => (seen = await waiting()) > 0;
      await eventually(() => probes.push(ready(), ready(), ready()) > 30 && isSeen());
      expect(seen).toBe(1);
      expect((await Promise.all(probes)).at(-1)?.status).toBe(503);
    });
    await becomes(200);
  });

  it('returns 503 while a migration of this version is missing, and 200 for one of a newer version', async () => {
    await petstore.query(`UPDATE migrations SET name = 'AddTails1' || name WHERE id = 1`);
    const response = await answer(ready, 503, 'Not ready: migrations.');
    expect(bodyOf(response)).toMatchObject({
      code: 'service_unavailable',
      message: 'Not ready: migrations.',
      status: 503,
      info: { database: { status: 'up' } },
      error: { migrations: { status: 'down', message: '1 of this version have not run.' } },
    });
    expect(valuesOf(response, 'Retry-After')).toEqual(['1']);
    await petstore.query(`UPDATE migrations SET name = replace(name, 'AddTails1', '') WHERE id = 1`);
    await petstore.query(`INSERT INTO migrations (timestamp, name) VALUES (1, 'AddTails1')`);
    await becomes(200);
  });

  it('returns 503 while the database is unavailable, and 200 when it is back; liveness stays 200', async () => {
    proxy.cut();
    await becomes(503);
    const response = await ready();
    await eventually(() => linesAbout(response).length > 0);
    expect(linesAbout(response)).toEqual([
      expect.objectContaining({ level: 'warn', status: 503, reason: reason(/^Not ready: .*database/) }),
    ]);
    for (const why of ['.', 'PostgreSQL failed less than a second ago$']) {
      const read = await send(petstore, { path: '/v1/pets', headers: [bearer(makeSecret())] });
      expect(read.status).toBe(503);
      await eventually(() => linesAbout(read).length > 0);
      const line = {
        level: 'warn',
        status: 503,
        reason: reason(RegExp(`^Could not look up the key: ${why}`)),
      };
      expect(linesAbout(read)).toEqual([expect.objectContaining(line)]);
    }
    expect(bodyOf(response)).toMatchObject({
      error: { database: { status: 'down', message: 'It does not respond.' } },
    });
    expect(valuesOf(response, 'Cache-Control')).toEqual(['no-store']);
    expect((await ask(LIVE)).status).toBe(200);
    proxy.mend();
    await becomes(200);
  });

  it('returns 200 although a connection takes longer than a check waits', async () => {
    proxy.cut();
    await becomes(503);
    proxy.connectDelay = 1_200; // milliseconds
    proxy.mend();
    await becomes(200);
    proxy.connectDelay = 0;
  });
});

describe('a PostgreSQL that becomes read-only', () => {
  let reading: Petstore;
  beforeAll(async () => {
    reading = await Petstore.start();
  });
  afterAll(() => reading.stop());

  /** As a failover or an operator does, who ends the open connections. */
  const setReadOnly = (value: 'on' | 'off') =>
    withClient(reading.databaseUrl, async (client) => {
      const name = new URL(reading.databaseUrl).pathname.slice(1);
      await client.query('SET default_transaction_read_only = off');
      await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
      await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    });
  const look = () => send(reading, { path: READY });
  const shown = async () => {
    reading.clock.advance(seconds(1)); // the text is cached for a second
    const { text } = await reading.client().get('/metrics').expect(200);
    return new RegExp(String.raw`^${PREFIX}_database_read_only (\S+)$`, 'm').exec(text)?.[1];
  };

  it('stays ready, because reads go on, and is named by readiness, log and metric, until it takes writes', async () => {
    const key = await reading.key();
    const write = async () => (await reading.client(key).post('/v1/key/rotate').send({})).status;
    await eventually(async () => (await shown()) === '0');
    await setReadOnly('on');
    let response: RawResponse | undefined;
    await eventually(async () => {
      response = await look();
      return response.status === 200 && response.body.includes('read-only'); // first, the connections are lost
    });
    expect(bodyOf(response as RawResponse)).toMatchObject({
      status: 'degraded',
      details: { database: { status: 'degraded', message: 'It is read-only: every write gets 503.' } },
    });
    await eventually(async () => (await shown()) === '1');
    await eventually(async () => (await reading.client(key).get('/v1/events')).status === 200);
    expect(await write()).toBe(503);
    const said = reading.log.filter(({ msg }) => msg === 'PostgreSQL is read-only: every write gets 503.');
    expect(said).toHaveLength(1);
    await setReadOnly('off');
    await eventually(
      async () => bodyOf(await look()) !== undefined && (await look()).body.includes('"status":"ok"'),
    );
    await eventually(async () => (await shown()) === '0');
    await eventually(async () => (await write()) === 200);
  });
});

describe('connections that do not come back', () => {
  const MAX = 10;
  let leaking: Petstore;
  const runners: QueryRunner[] = [];

  beforeAll(async () => {
    leaking = await Petstore.start();
  });
  afterAll(() => leaking.stop());

  const look = () => send(leaking, { path: READY });
  const leak = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const runner = leaking.app.get(DataSource).createQueryRunner();
      await runner.connect();
      runners.push(runner);
    }
  };
  const stuck = async () => {
    leaking.clock.advance(seconds(1)); // the text is cached for a second
    const { text } = await leaking.client().get('/metrics').expect(200);
    return Number(new RegExp(String.raw`^${PREFIX}_database_stuck_seconds (\S+)$`, 'm').exec(text)?.[1]);
  };

  it('make the service not ready after a minute, and are measured before', async () => {
    await leak(MAX - 1);
    leaking.clock.advance(minutes(10));
    await eventually(async () => (await stuck()) === 0); // one is free, unless background work has it for a moment
    await leak(1);
    leaking.clock.advance(seconds(50));
    expect(await stuck()).toBeGreaterThanOrEqual(51);
    await answer(look, 200); // as long as all are only busy
    leaking.clock.advance(seconds(10));
    const response = await answer(look, 503, 'Not ready: database.');
    expect(bodyOf(response)).toMatchObject({
      error: { database: { status: 'down', message: 'No connection has come back for a minute.' } },
    });
    expect((await send(leaking, { path: LIVE })).status).toBe(200);
  });

  it('are a reason no longer when one has come back', async () => {
    await runners.pop()?.release();
    await answer(look, 200);
    expect(await stuck()).toBe(0);
    await Promise.all(runners.splice(0).map((runner) => runner.release()));
  });
});

describeWithRedis(`GET ${READY} with a Redis`, () => {
  let redis: RedisServer;
  let counting: Petstore;

  beforeAll(async () => {
    redis = await RedisServer.start();
    counting = await Petstore.start({ env: { REDIS_URL: redis.url } });
  });
  afterAll(async () => {
    await counting.stop();
    await redis.stop();
  });

  it('stays 200 when Redis is lost, and reports it', async () => {
    const look = async () =>
      bodyOf(await send(counting, { path: READY })) as { status: string; info: unknown };
    await eventually(async () => (await look()).status === 'ok');
    expect(await look()).toMatchObject({ info: { redis: { status: 'up' } } });
    await redis.kill();
    await eventually(async () => (await look()).status === 'degraded');
    const degraded = await answer(() => send(counting, { path: READY }), 200);
    expect(bodyOf(degraded)).toMatchObject({ info: { redis: { status: 'degraded' } } });
  });
});

@Injectable()
class MailerHealth implements OnModuleInit {
  isUp = true;

  constructor(
    private readonly readiness: Readiness,
    private readonly indicators: HealthIndicatorService,
  ) {}

  onModuleInit(): void {
    this.readiness.add(() => {
      const mailer = this.indicators.check('mailer');
      return this.isUp ? mailer.up() : mailer.down();
    });
  }
}

@Module({ imports: [HealthModule], providers: [MailerHealth] })
class MailerModule {}

const broken = () => {
  throw new Error('connect to secret.internal refused');
};
const rejected = () => Promise.reject(new Error('connect to secret.internal refused'));
const never = () => new Promise<never>(() => undefined);

/** Checks of authors that break, each after it has worked, and attempts that never worked. */
@Injectable()
class BrokenHealth implements OnModuleInit {
  now: 'up' | 'throws' | 'rejects' | 'hangs' = 'up';

  constructor(
    private readonly readiness: Readiness,
    private readonly indicators: HealthIndicatorService,
  ) {}

  onModuleInit(): void {
    this.readiness.add(() => {
      const queue = this.indicators.check('queue');
      return { up: () => queue.up(), throws: broken, rejects: rejected, hangs: never }[this.now]();
    });
  }
}

@Module({ imports: [HealthModule], providers: [BrokenHealth] })
class BrokenModule {}

describe(`GET ${READY} with a check of a module`, () => {
  it('is 503 while the check fails, and names it', async () => {
    const mailing = await Petstore.start({ modules: [MailerModule] });
    const look = () => send(mailing, { path: READY });
    expect(bodyOf(await answer(look, 200))).toMatchObject({ details: { mailer: { status: 'up' } } });
    mailing.app.get(MailerHealth).isUp = false;
    const refused = await answer(look, 503, 'Not ready: mailer.');
    expect(bodyOf(refused)).toMatchObject({ code: 'service_unavailable' });
    await mailing.stop();
  });
});

describe(`GET ${READY} with a check of a module that breaks`, () => {
  let broken: Petstore;
  beforeAll(async () => {
    broken = await Petstore.start({ modules: [BrokenModule] });
  });
  afterAll(() => broken.stop());
  const look = () => send(broken, { path: READY });

  it.each(['throws', 'rejects', 'hangs'] as const)('is 503 and names it when it %s', async (now) => {
    const check = broken.app.get(BrokenHealth);
    check.now = 'up';
    expect(bodyOf(await answer(look, 200))).toMatchObject({ details: { queue: { status: 'up' } } });
    check.now = now;
    const refused = await answer(look, 503, 'Not ready: queue.');
    expect(bodyOf(refused)).toMatchObject({
      error: { queue: { status: 'down', message: 'It does not work.' } },
    });
    expect(refused.body).not.toContain('secret');
    const told = broken.log.filter(({ msg }) =>
      String(msg).startsWith('The readiness check "queue" fails: '),
    );
    expect(told).not.toEqual([]);
    check.now = 'up';
    await answer(look, 200);
  });

  it('is 503 and names attempts that never worked', async () => {
    const other = await Petstore.start({ modules: [BrokenModule] });
    const [readiness, indicators] = [other.app.get(Readiness), other.app.get(HealthIndicatorService)];
    readiness.add(() => indicators.check('cache').attempt(never));
    readiness.add(indicators.check('disk').attempt(rejected));
    readiness.add(never);
    await answer(() => send(other, { path: READY }), 503, 'Not ready: cache, disk, check 6.');
    await other.stop();
  });
});
