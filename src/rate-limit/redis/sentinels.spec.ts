import { jest } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { FakeSentinel } from '../../../test/support/fake-sentinel.js';
import { freePort } from '../../../test/support/free-port.js';
import { describeWithRedis, RedisServer } from '../../../test/support/redis-server.js';
import { RedisStorages } from '../../../test/support/redis-storages.js';

describeWithRedis('a Redis that sentinels watch', () => {
  const replicas = new RedisStorages();
  let master: RedisServer;
  let sentinel: FakeSentinel;

  beforeEach(async () => {
    master = await RedisServer.start();
    sentinel = await FakeSentinel.start(master.port);
  });
  afterEach(async () => {
    await replicas.stop();
    await sentinel.stop();
    await master.stop();
  });

  it('is found again when a failover is announced while it is looked for', async () => {
    const env = { REDIS_SENTINELS: `127.0.0.1:${sentinel.port}` };
    const storage = await replicas.start('redis://sentinels-know', { env, timeout: 5_000 });
    await eventually(() => !storage.degraded && sentinel.subscriberCount === 1);

    sentinel.failovers = 1;
    master.command('CLIENT', 'KILL', 'TYPE', 'normal');
    await eventually(() => storage.degraded && sentinel.failovers === 0);

    await eventually(() => !storage.degraded);
    expect(sentinel.asked).toBeGreaterThan(2);
  });

  it('prints nothing of a sentinel that is down, and listens to it when it is back', async () => {
    const print = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const port = await freePort();
    const env = { REDIS_SENTINELS: `127.0.0.1:${sentinel.port},127.0.0.1:${port}` };
    const storage = await replicas.start('redis://sentinels-know', { env, timeout: 5_000 });
    await eventually(() => !storage.degraded && sentinel.subscriberCount === 1);

    const back = await FakeSentinel.start(master.port, port);
    await eventually(() => back.subscriberCount === 1);
    await back.stop();

    expect(print).not.toHaveBeenCalled();
    print.mockRestore();
  });
});
