import { jest } from '@jest/globals';
import { eventually } from '../../../../../test/support/eventually.js';
import { FakeSentinel } from '../../../../../test/support/fake-sentinel.js';
import { freePort } from '../../../../../test/support/free-port.js';
import { describeWithRedis, RedisServer } from '../../../../../test/support/redis-server.js';
import { RedisStorages } from '../../../../../test/support/redis-storages.js';

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

  it('is found again when its connection is closed', async () => {
    const env = { REDIS_SENTINELS: `127.0.0.1:${sentinel.port}` };
    const storage = await replicas.start('redis://sentinels-know', { env, timeout: 5_000 });
    await eventually(() => !storage.degraded);
    master.command('CLIENT', 'KILL', 'TYPE', 'normal');
    await eventually(() => sentinel.asked > 1 && !storage.degraded);
  });

  it('is looked for again while it is frozen', async () => {
    const env = { REDIS_SENTINELS: `127.0.0.1:${sentinel.port}` };
    const storage = await replicas.start('redis://sentinels-know', { env });
    await eventually(() => !storage.degraded);
    await master.freeze();
    await eventually(() => sentinel.asked > 2);
    await master.thaw();
    await eventually(() => !storage.degraded);
  });

  it('prints nothing of a sentinel that is down', async () => {
    const print = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const env = { REDIS_SENTINELS: `127.0.0.1:${await freePort()},127.0.0.1:${sentinel.port}` };
    const storage = await replicas.start('redis://sentinels-know', { env, timeout: 5_000 });
    await eventually(() => !storage.degraded);
    expect(print).not.toHaveBeenCalled();
    print.mockRestore();
  });
});
