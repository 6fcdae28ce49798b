import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { CheckResult } from '../../src/platform/kernel/config/check-result.js';
import { seconds } from '../../src/platform/kernel/clock/duration.js';
import { describeWithRedis } from '../support/redis-server.js';
import { COMMAND_LINE, emptyFolder, run } from '../support/program.js';
import { RedisCluster } from '../support/redis-cluster.js';

/** All its time limits after one another. */
const PATIENCE = seconds(60);

describe('petstore doctor beside servers that accept connections and say nothing', () => {
  it('ends, and says which they are', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const folder = await emptyFolder();
    const place = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const env = { PORT: '0', DATABASE_URL: `postgres://me@${place}/pets`, REDIS_URL: `redis://${place}` };
    const { code, stdout } = await run(COMMAND_LINE, ['doctor'], { cwd: folder.path, env });
    silent.close();
    await folder.remove();
    expect(stdout).toMatch(/^fail +database +.*(no connection|does not respond)/m);
    expect(stdout).toContain(`no response from ${place}: no response in time`);
    expect(code).toBe(1);
  });
});

describeWithRedis('petstore doctor beside a Redis Cluster', () => {
  let cluster: RedisCluster;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;

  beforeAll(async () => {
    [cluster, folder] = await Promise.all([RedisCluster.start(), emptyFolder()]);
  });
  afterAll(async () => {
    await cluster.stop();
    await folder.remove();
  });

  async function redisOf(env: Record<string, string>): Promise<string> {
    const began = performance.now();
    const { stdout } = await run(COMMAND_LINE, ['doctor', '--json'], {
      cwd: folder.path,
      env: { PORT: '0', ...env },
    });
    expect(performance.now() - began).toBeLessThan(PATIENCE);
    const found = (JSON.parse(stdout) as CheckResult[]).find(({ check }) => check === 'redis');
    return `${found?.state}: ${found?.finding}`;
  }

  it('says that the service needs REDIS_CLUSTER, whichever node it names', async () => {
    for (const { url } of cluster.nodes)
      expect(await redisOf({ REDIS_URL: url })).toMatch(
        /does not count: this Redis is a cluster: set REDIS_CLUSTER=on$/,
      );
  });

  it('names a frozen master, each time, as long as nothing replaces it', async () => {
    const master = cluster.anyMaster;
    const replica = cluster.replicaOf(master);
    const other = cluster.masters.find(({ port }) => port !== master.port);
    const env = { REDIS_URL: other?.url ?? '', REDIS_CLUSTER: 'on' };
    // The replica that is gone is named, too, until the masters agree that it has failed.
    const names = new RegExp(
      `^warn: the cluster at 127\\.0\\.0\\.1:${other?.port} responds and counts, but ` +
        `(127\\.0\\.0\\.1:${replica.port}, )?127\\.0\\.0\\.1:${master.port}(, 127\\.0\\.0\\.1:${replica.port})? do(es)? not respond$`,
    );
    await replica.kill();
    await master.freeze();
    for (let run = 0; run < 4; run++) expect(await redisOf(env)).toMatch(names);
    await master.thaw();
    await replica.launch();
    await cluster.isWhole();
    expect(await redisOf(env)).toMatch(/^ok: .+ responds and counts: (127\.0\.0\.1:\d+(, )?){6}$/);
  });
});
