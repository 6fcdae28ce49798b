import { minutes } from '../../src/platform/kernel/clock/duration.js';
import { describeWhereFound, describeWith } from '../support/describe-with.js';
import { becomes, eventually } from '../support/eventually.js';
import { BURST_ROUNDS, type FleetKey, QuotaFleet, type QuotaLoad } from '../support/quota-fleet.js';
import { RedisCluster } from '../support/redis-cluster.js';
import type { RedisServer } from '../support/redis-server.js';
import { PREFIX } from '../support/prefix.js';

const PROCESSES = 4;
const LIMIT = 1_000;
const UNLIMITED = 100_000_000;
/** On a busy machine, a command may time out. Then the count is not exact, and the round is repeated. */
const MAX_ROUNDS = 20;

/** Bursts in a quiet cluster: of each process, for each key, in each of BURST_ROUNDS. */
const [KEYS, CONCURRENT, BURST_LIMIT] = [20, 50, 100];
/** There are 80,000 requests, and the machine may be slow. */
const BURSTS_TIMEOUT = minutes(20);

/** Waits until the key's limit is used up. A failure shows how many requests were admitted and refused. */
const isExhausted = (load: QuotaLoad): Promise<void> =>
  eventually(
    () => load.refused > 100,
    undefined,
    () => load,
  );

function report({ admitted, refused }: QuotaLoad, what: string): void {
  process.stderr.write(`${admitted} of ${admitted + refused} admitted, limit ${LIMIT}: ${what}.\n`);
}

const hashOf = (id: string): string => `${PREFIX}:{${id}}`;

function describeCluster(program: string): void {
  let cluster: RedisCluster;
  let fleet: QuotaFleet;

  beforeAll(async () => {
    cluster = await RedisCluster.start(program);
    fleet = await QuotaFleet.start(PROCESSES, { REDIS_URL: cluster.url, REDIS_CLUSTER: 'true' });
  });
  afterAll(async () => {
    await fleet.stop();
    await cluster.stop();
  });

  /** A key whose counts are on the given master, or on another one. */
  async function keyAt(master: RedisServer, isThere: boolean, perDay: number): Promise<FleetKey> {
    for (;;) {
      const key = await fleet.key(perDay);
      if ((cluster.masterOf(hashOf(key.id)) === master) === isThere) return key;
    }
  }

  const countOf = (id: string): number => Number(cluster.command('HGET', hashOf(id), 'u'));

  /** Expects that exactly the limit is admitted, in a round in which Redis always responded in time. */
  async function countsExactly(meanwhile: (id: string, load: QuotaLoad) => Promise<void>): Promise<void> {
    for (let round = 1; ; round++) {
      const key = await fleet.key(LIMIT);
      const losses = await fleet.losses();
      const load = fleet.load(key);
      await load.goesOn();
      await meanwhile(key.id, load);
      await isExhausted(load);
      await load.stop();
      expect(load.others).toEqual([]);
      expect(load.admitted).toBeLessThan(2 * LIMIT);
      if ((await fleet.losses()) > losses && round < MAX_ROUNDS) {
        process.stderr.write(
          `Counted once more: ${program} took longer than a command may, on this busy machine.\n`,
        );
        await fleet.isWhole();
        continue;
      }
      expect(load.admitted).toBe(LIMIT);
      expect(countOf(key.id)).toBe(LIMIT);
      return;
    }
  }

  it(
    'counts exactly over four processes',
    async () => {
      let exact = 0;
      for (let round = 0; round < BURST_ROUNDS; round++) {
        for (let i = 0; i < KEYS; i++) {
          const { id, secret } = await fleet.key(BURST_LIMIT);
          const losses = await fleet.losses();
          const statuses = await fleet.burst(secret, CONCURRENT);
          const admitted = statuses.filter((status) => status === 404).length;
          expect(statuses.filter((status) => status !== 404 && status !== 429)).toEqual([]);
          if ((await fleet.losses()) > losses) await fleet.isWhole();
          else expect([admitted, countOf(id)]).toEqual([BURST_LIMIT, BURST_LIMIT]);
          exact += admitted === BURST_LIMIT ? 1 : 0;
        }
      }
      process.stderr.write(`Exactly ${BURST_LIMIT} admitted: ${exact} of ${BURST_ROUNDS * KEYS} bursts.\n`);
    },
    BURSTS_TIMEOUT,
  );

  it('counts exactly while the slot of the key moves from master to master', async () => {
    await countsExactly(async (id, load) => {
      for (let move = 0; move < 3; move++) {
        const before = cluster.masterOf(hashOf(id));
        cluster.reshard(hashOf(id));
        expect(cluster.masterOf(hashOf(id))).not.toBe(before);
        await load.goesOn();
      }
    });
  });

  /** Kills a master whose replica lacks its last commands. */
  async function killBehind(master: RedisServer, load: QuotaLoad): Promise<void> {
    const replica = cluster.replicaOf(master);
    await replica.freeze();
    await load.goesOn(50);
    await master.kill();
    await replica.thaw();
  }

  it.each([
    ['killed before replication has copied all', killBehind, (master: RedisServer) => master.launch()],
    ['frozen', (master: RedisServer) => master.freeze(), (master: RedisServer) => master.thaw()],
  ])(
    'serves all clients when a master is %s, and records each of their requests once',
    async (_fault, begin, end) => {
      await cluster.isWhole();
      const master = cluster.anyMaster;
      const here = await keyAt(master, true, UNLIMITED);
      const limited = await keyAt(master, true, LIMIT);
      const elsewhere = await keyAt(master, false, UNLIMITED);
      const exact = await keyAt(master, false, LIMIT);
      const loads = [here, elsewhere, limited, exact].map((key) => fleet.load(key));
      const [hereLoad, elsewhereLoad, limitedLoad, exactLoad] = loads as [
        QuotaLoad,
        QuotaLoad,
        QuotaLoad,
        QuotaLoad,
      ];
      const goOn = () => Promise.all(loads.map((load) => load.goesOn()));
      await goOn();

      await begin(master, hereLoad);
      await goOn();
      await eventually(
        () => cluster.masters.length === 3 && !cluster.masters.includes(master),
        undefined,
        () => cluster.masters.map(({ port }) => port),
      );
      await fleet.isWhole();
      await goOn();
      await isExhausted(limitedLoad);
      await isExhausted(exactLoad);
      await Promise.all(loads.map((load) => load.stop()));
      await end(master);

      expect(loads.flatMap(({ others }) => others)).toEqual([]);
      await fleet.isWhole();
      await becomes(() => fleet.recorded(here), hereLoad.admitted);
      await becomes(() => fleet.recorded(elsewhere), elsewhereLoad.admitted);
      expect(exactLoad.admitted).toBe(LIMIT); // the clients of other masters notice nothing
      report(limitedLoad, 'its master was lost');
      expect(limitedLoad.admitted).toBeGreaterThanOrEqual(LIMIT * 0.8); // requests in flight may have been charged and refused
      expect(limitedLoad.admitted).toBeLessThan(2.2 * LIMIT); // a promoted replica may lack the last commands
    },
  );

  it('serves all clients while all nodes are restarted empty, and counts exactly after that', async () => {
    await cluster.isWhole();
    const [unlimited, limited] = [await fleet.key(UNLIMITED), await fleet.key(LIMIT)];
    const loads = [unlimited, limited].map((key) => fleet.load(key));
    const [load, limitedLoad] = loads as [QuotaLoad, QuotaLoad];
    await Promise.all(loads.map((one) => one.goesOn()));
    await cluster.restartEmpty();
    await cluster.isWhole();
    await fleet.isWhole();
    await isExhausted(limitedLoad);
    await Promise.all(loads.map((one) => one.stop()));

    expect(loads.flatMap(({ others }) => others)).toEqual([]);
    await becomes(() => fleet.recorded(unlimited), load.admitted);
    report(limitedLoad, 'all nodes were restarted empty');
    expect(limitedLoad.admitted).toBeGreaterThanOrEqual(LIMIT * 0.8);
    expect(limitedLoad.admitted).toBeLessThan(2.2 * LIMIT); // the day is restored from PostgreSQL
    await countsExactly(() => Promise.resolve());
  });
}

describeWith('redis-server', 'quotas in a Redis Cluster', () => {
  describeCluster('redis-server');
});
describeWhereFound('valkey-server', 'quotas in a Valkey cluster', () => {
  describeCluster('valkey-server');
});
