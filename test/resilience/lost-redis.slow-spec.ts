import type request from 'supertest';
import { eventually } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

describeWithRedis('a service that loses its Redis', () => {
  let redis: RedisServer;
  let petstore: Petstore;
  let client: ReturnType<Petstore['client']>;

  beforeEach(async () => {
    redis = await RedisServer.start(['--appendfsync', 'always']);
    petstore = await Petstore.start({ env: { REDIS_URL: redis.url } });
    client = petstore.client(await petstore.key('enterprise', { perMinute: 100, perDay: 1000 }));
  });
  afterEach(async () => {
    await petstore.stop();
    await redis.stop();
  });

  const sendTogether = (times: number) =>
    Promise.all(Array.from({ length: times }, async () => client.get('/v1/pets?limit=1')));
  /** Ten at a time, so few that even on a busy machine no query times out. */
  const send = async (tens: number) => {
    const responses: request.Response[] = [];
    for (let i = 0; i < tens; i++) responses.push(...(await sendTogether(10)));
    return responses;
  };
  const statuses = (responses: { status: number }[]) => [...new Set(responses.map(({ status }) => status))];
  const up = async () =>
    ((await petstore.client().get('/health/ready')).body as { status: string }).status === 'ok';

  it.each([
    ['killed', () => redis.kill(), () => redis.launch()],
    ['frozen', () => redis.freeze(), () => redis.thaw()],
  ])(
    'because it is %s returns only 200 and 429, with all headers, and counts together again afterwards',
    async (_, away, back) => {
      expect(statuses(await send(1))).toEqual([200]);
      await away();
      await eventually(async () => !(await up()));
      const meanwhile = await send(12);
      expect(meanwhile.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
      expect(statuses(meanwhile).sort()).toEqual([200, 429]);
      for (const { headers } of meanwhile) expect(headers).toMatchObject({ 'x-ratelimit-limit': '100' });
      // With one replica, its share is the whole limit.
      expect(meanwhile.filter(({ status }) => status === 200)).toHaveLength(100);
      await back();
      await eventually(up);
      expect(statuses(await send(1))).toEqual([200]); // Redis decides again, without knowledge of the requests in between
    },
  );

  it('responds to the requests in flight when Redis is lost', async () => {
    await send(1);
    await redis.kill();
    expect(statuses(await sendTogether(50))).toEqual([200]);
  });
});
