import { describeWhereFound, describeWith } from '../support/describe-with.js';
import { becomes, eventually } from '../support/eventually.js';
import { QuotaFleet, type QuotaLoad } from '../support/quota-fleet.js';
import { RedisSentinels } from '../support/redis-sentinels.js';
import type { RedisServer } from '../support/redis-server.js';

const PROCESSES = 2;
const LIMIT = 1_000;
const UNLIMITED = 100_000_000;

function describeSentinels(program: string): void {
  let sentinels: RedisSentinels;
  let fleet: QuotaFleet;

  beforeAll(async () => {
    sentinels = await RedisSentinels.start({ program });
    // The host of REDIS_URL is not used.
    const env = { REDIS_URL: 'redis://sentinels-know', REDIS_SENTINELS: sentinels.addresses };
    fleet = await QuotaFleet.start(PROCESSES, env);
  });
  afterAll(async () => {
    await fleet.stop();
    await sentinels.stop();
  });

  const comeBack = (master: RedisServer) => sentinels.bringBack(master);

  it.each([
    ['killed', (master: RedisServer) => master.kill(), comeBack],
    ['frozen', (master: RedisServer) => master.freeze(), (master: RedisServer) => master.thaw()],
  ])('follow the master when it is %s, and count each request once', async (_fault, begin, end) => {
    await sentinels.isWhole();
    const { master } = sentinels;
    const [unlimited, limited] = [await fleet.key(UNLIMITED), await fleet.key(LIMIT)];
    const loads = [unlimited, limited].map((key) => fleet.load(key));
    const [load, limitedLoad] = loads as [QuotaLoad, QuotaLoad];
    const goOn = () => Promise.all(loads.map((one) => one.goesOn()));
    await goOn();

    await begin(master);
    await goOn();
    const [other] = sentinels.servers.filter((server) => server !== master);
    await eventually(() => other?.replication.includes('role:master') ?? false);
    await fleet.isWhole();
    await goOn();
    await eventually(() => limitedLoad.refused > 100);
    await Promise.all(loads.map((one) => one.stop()));

    expect(loads.flatMap(({ others }) => others)).toEqual([]);
    await fleet.isWhole();
    await becomes(() => fleet.recorded(unlimited), load.admitted);
    expect(limitedLoad.admitted).toBeGreaterThanOrEqual(LIMIT * 0.8); // requests in flight may have been charged and refused
    expect(limitedLoad.admitted).toBeLessThan(2.2 * LIMIT); // a promoted replica may lack the last commands
    await end(master);
  });
}

describeWith('redis-server', 'quotas at a Redis that sentinels watch', () => {
  describeSentinels('redis-server');
});
describeWhereFound('valkey-server', 'quotas at a Valkey that sentinels watch', () => {
  describeSentinels('valkey-server');
});
