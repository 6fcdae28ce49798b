import { seconds } from '../../../src/platform/kernel/clock/duration.js';
import { spawnSync } from 'node:child_process';
import { DataSource } from 'typeorm';
import { MetricsServer } from '../../../src/platform/observe/metrics/metrics-server.js';
import { describeWith } from '../../support/describe-with.js';
import { becomes, eventually } from '../../support/eventually.js';
import { Petstore } from '../../support/petstore.js';
import { PREFIX } from '../../support/prefix.js';

describe('GET /metrics', () => {
  let petstore: Petstore;
  let key: string;

  beforeAll(async () => {
    petstore = await Petstore.start();
    key = await petstore.key('enterprise', { perMinute: 3, perDay: 100 });
    const client = petstore.client(key);
    for (let i = 0; i < 5; i++) await client.get('/v1/events');
    petstore.clock.advance(seconds(1));
    for (let i = 0; i < 22; i++) await client.get('/v1/events');
    await petstore.client().get('/v1/events');
  });
  afterAll(() => petstore.stop());

  const metrics = async () => {
    petstore.clock.advance(seconds(1)); // the text is cached for a second
    return (await petstore.client().get('/metrics').expect(200)).text;
  };

  it('responds without a key, in the text format of Prometheus', async () => {
    await petstore
      .client()
      .get('/metrics')
      .expect(200)
      .expect('Content-Type', /^text\/plain; version=0\.0\.4/);
  });

  it.each([
    [`${PREFIX}_quota_decisions_total{plan="enterprise",outcome="admitted"} 3`],
    [`${PREFIX}_quota_decisions_total{plan="enterprise",outcome="minute_exhausted"} 21`],
    [`${PREFIX}_quota_decisions_total{plan="enterprise",outcome="banned"} 3`],
    [`${PREFIX}_quota_decisions_total{plan="anonymous",outcome="admitted"} 1`],
    [`${PREFIX}_bans_total 1`],
  ])('counts %s', async (line) => {
    expect((await metrics()).split('\n')).toContain(line);
  });

  it('counts the failures of each background task by its name, and says for how long it has failed', async () => {
    const text = await metrics();
    const names = (metric: string) =>
      [...text.matchAll(new RegExp(`^${PREFIX}_${metric}{task="(.+)"} \\d`, 'gm'))].map(([, name]) => name);
    for (const metric of ['task_failures_total', 'task_failing_seconds']) {
      expect(names(metric)).toEqual(
        expect.arrayContaining([
          'clearEvents',
          'clearIdempotentResponses',
          'listenForKeyChanges',
          'lookForWork',
          'mergeUsage',
          'numberEvents',
          'recordBans',
          'recordLastUse',
          'recordUsage',
        ]),
      );
      expect(names(metric)).not.toContain('unnamed');
    }
  });

  it.each([
    ['http_request_duration_seconds_count{method="GET",route="/v1/events",status="200"} 3'],
    ['http_request_duration_seconds_count{method="GET",route="/v1/events",status="429"} 24'],
    ['http_request_duration_seconds_count{method="GET",route="/v1/events",status="401"} 1'],
    ['http_request_duration_seconds_bucket{le="0.001",method="GET",route="/v1/events",status="200"} 3'],
    [`${PREFIX}_database_connections_max 10`],
    [`${PREFIX}_database_waiting 0`],
  ])('reports %s', async (line) => {
    expect((await metrics()).split('\n')).toContain(line);
  });

  it('reports how many connections to PostgreSQL are in use', async () => {
    const used = async () =>
      Number(
        new RegExp(String.raw`^${PREFIX}_database_connections\{state="used"\} (\d+)$`, 'm').exec(
          await metrics(),
        )?.[1],
      );
    const runners = Array.from({ length: 5 }, () => petstore.app.get(DataSource).createQueryRunner());
    await Promise.all(runners.map((runner) => runner.connect()));
    expect(await used()).toBeGreaterThanOrEqual(runners.length);
    await Promise.all(runners.map((runner) => runner.release()));
    await becomes(() => used(), 0); // background tasks use one occasionally
  });

  it("says by how much this process's clock is ahead of PostgreSQL's, or behind", async () => {
    const reported = async () =>
      Number(new RegExp(String.raw`^${PREFIX}_clock_offset_seconds (\S+)$`, 'm').exec(await metrics())?.[1]);
    const expected = () => (petstore.clock.now() - Date.now()) / 1_000;
    await eventually(async () => Math.abs((await reported()) - expected()) < 30); // the test's clock stands still
  });

  it('is rendered at most once a second, and is not cacheable', async () => {
    const ask = () => petstore.client().get('/metrics').expect(200).expect('Cache-Control', 'no-store');
    const [first, ...others] = await Promise.all([
      metrics(),
      ...Array.from({ length: 20 }, async () => (await ask()).text),
    ]);
    for (const text of others) expect(text).toBe(first);
    expect(await metrics()).not.toBe(first);
  });

  it('creates no series for an unknown path or method', async () => {
    const series = async () => (await metrics()).match(/^(?!nodejs_|process_|#).+(?= )/gm); // those of Node.js appear later
    const before = await series();
    const client = petstore.client(await petstore.key());
    await client.get('/v1/made-up-1');
    const once = await series();
    for (let i = 2; i < 9; i++) await client.get(`/v1/made-up-${i}`);
    expect(once?.length).toBeGreaterThan(before?.length ?? Infinity);
    expect(await series()).toEqual(once);
  });

  it('has no label whose values grow with keys or addresses', async () => {
    const text = await metrics();
    expect(text).not.toContain(key.slice(9, 20));
    expect(text).not.toContain('127.0.0.1');
  });
});

describe('METRICS_PORT', () => {
  it('moves /metrics from the port of clients to a separate one', async () => {
    const petstore = await Petstore.start({ env: { METRICS_PORT: '0' } });
    const { port } = petstore.app.get(MetricsServer);
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`${PREFIX}_quota_decisions_total`);
    expect((await fetch(`http://127.0.0.1:${port}/v1/events`)).status).toBe(404);
    await petstore.client().get('/metrics').expect(404);
    await petstore.stop();
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  });

  it('is refused at startup if the port is in use', async () => {
    const first = await Petstore.start({ env: { METRICS_PORT: '0' } });
    const port = String(first.app.get(MetricsServer).port);
    await expect(Petstore.start({ env: { METRICS_PORT: port } })).rejects.toThrow(
      `Port ${port} is in use. Stop the program that uses it, or set METRICS_PORT to another port.`,
    );
    await first.stop();
  });
});

describe('/metrics on METRICS_PORT', () => {
  let together: Petstore;
  let apart: Petstore;
  beforeAll(async () => {
    together = await Petstore.start();
    apart = await Petstore.start({ env: { METRICS_PORT: '0' } });
  });
  afterAll(async () => {
    await together.stop();
    await apart.stop();
  });

  it.each([
    ['GET', '/metrics?collect[]=process&x=1'],
    ['GET', '/metrics/'],
    ['GET', '/metrics/?x'],
    ['HEAD', '/metrics'],
    ['OPTIONS', '/metrics'],
    ['POST', '/metrics'],
    ['DELETE', '/metrics/'],
    ['GET', '/METRICS'],
    ['GET', '/metrics//'],
    ['GET', '/metrics/x'],
  ])('answers %s %s as on the port of the service', async (method, path) => {
    const ask = async (port: number | string | undefined) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      const { headers, status } = response;
      const text = await response.text(); // the numbers differ
      const [allow, type] = [headers.get('allow'), headers.get('content-type')];
      return { status, allow, type, text: status === 200 ? text === '' : text };
    };
    const { port } = new URL(await together.app.getUrl());
    expect(await ask(apart.app.get(MetricsServer).port)).toEqual(await ask(port));
  });
});

describeWith('promtool', 'the text of /metrics', () => {
  it('finds no problem in the metrics', async () => {
    const petstore = await Petstore.start();
    await petstore.client(await petstore.key()).get('/v1/events');
    const { text } = await petstore.client().get('/metrics');
    await petstore.stop();
    const { status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: '' });
  });
});
