import { Certificates } from '../support/certificates.js';
import { petstore } from '../support/command-line.js';
import { describeWith } from '../support/describe-with.js';
import { becomes } from '../support/eventually.js';
import { RedisCluster } from '../support/redis-cluster.js';
import { RedisSentinels } from '../support/redis-sentinels.js';
import { address, admitted, key } from '../support/quota-subjects.js';
import { RedisStorages } from '../support/redis-storages.js';
import { readText } from '../support/repository.js';
import { PREFIX } from '../support/prefix.js';

/** The account that the documentation gives the service. */
const [, rules = ''] =
  /^user petstore on >PASSWORD (.*)$/m.exec(
    readText('docs/running.md').replace('~petstore:', `~${PREFIX}:`),
  ) ?? [];
const ACCOUNT = ['--user', 'petstore', 'on', '>s3cr@t/word', ...rules.split(' ')];
const AS_ACCOUNT = `petstore:${encodeURIComponent('s3cr@t/word')}@`;

const CLIENTS = Array.from({ length: 40 }, (_, i) => key(100 + i, 10, 1_000));
const ADDRESS = address('192.0.2.1', 10);

describeWith('redis-server', 'quotas at a Redis with TLS and an account for the service', () => {
  const replicas = new RedisStorages();
  let certificates: Certificates;

  beforeAll(() => {
    certificates = new Certificates();
  });
  afterEach(() => replicas.stop());
  afterAll(() => {
    certificates.remove();
  });

  async function countsExactly(env: Record<string, string>): Promise<void> {
    const [url, others] = [env.REDIS_URL ?? '', { env, timeout: 5_000 }];
    const storages = await Promise.all([replicas.start(url, others), replicas.start(url, others)]);
    await becomes(
      () => storages.map(({ replicaCount, degraded }) => [replicaCount, degraded]),
      [
        [2, false],
        [2, false],
      ],
    );
    for (const client of [...CLIENTS, ADDRESS]) {
      const counts = await Promise.all(storages.map((storage) => admitted(storage, client, 8)));
      expect(counts.reduce((a, b) => a + b)).toBe(10);
    }
    expect(storages.map(({ degraded }) => degraded)).toEqual([false, false]);
    const { code, stdout } = await petstore(['doctor'], { PORT: '0', ...env });
    expect(stdout).toMatch(/^ok +redis +.+ responds/m);
    expect(stdout).not.toContain('s3cr');
    expect(code).toBe(0);
  }

  it('are exact in a cluster', async () => {
    const settings = [...certificates.redisSettings, '--tls-cluster', 'yes', ...ACCOUNT];
    const cluster = await RedisCluster.start('redis-server', settings, 'rediss');
    await countsExactly({
      // The first node does not exist.
      REDIS_URL: `rediss://${AS_ACCOUNT}127.0.0.1:1`,
      REDIS_CLUSTER: 'true',
      REDIS_CLUSTER_NODES: cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(','),
      REDIS_CA_FILE: certificates.authority,
    });
    await cluster.stop();
  });

  it('are exact at the master that sentinels with a password name', async () => {
    const { key, certificate, authority } = certificates;
    const sentinels = await RedisSentinels.start({
      scheme: 'rediss',
      server: [...certificates.redisSettings, ...ACCOUNT],
      sentinel: [
        `tls-cert-file ${certificate}`,
        `tls-key-file ${key}`,
        `tls-ca-cert-file ${authority}`,
        ...['tls-replication yes', 'tls-auth-clients no', 'requirepass watchword'],
        'sentinel sentinel-pass watchword',
      ],
    });
    await countsExactly({
      REDIS_URL: `rediss://${AS_ACCOUNT}sentinels-know`,
      REDIS_SENTINELS: `127.0.0.1:1,${sentinels.addresses}`,
      REDIS_SENTINEL_PASSWORD: 'watchword',
      REDIS_CA_FILE: authority,
    });
    await sentinels.stop();
  });
});
