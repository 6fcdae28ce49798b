import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describeWith } from '../support/describe-with.js';
import { Petstore } from '../support/petstore.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { readText, readYaml } from '../support/repository.js';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const [rules] = readYaml<Rules>('deploy/prometheus/alerts.yml') as [Rules];
const alerts = rules.groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(readText('deploy/grafana/dashboards/petstore.json')) as Dashboard;
/** Prometheus' own. */
const OTHERS = ['up', 'ALERTS'];

/** The metrics of an expression: names before a selector. Each has one, so that jobs of others stay out. */
const metricsOf = (expr: string) => [...expr.matchAll(/(\w+)\{/g)].map(([, name = '']) => name);

const named = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

describeWithRedis('what alert rules and dashboard ask for', () => {
  let petstore: Petstore;
  let redis: RedisServer;
  let exported: string;

  beforeAll(async () => {
    redis = await RedisServer.start();
    petstore = await Petstore.start({ env: { REDIS_URL: redis.url } });
    await petstore.client(await petstore.key('free')).get('/v1/pets');
    exported = (await petstore.client().get('/metrics').expect(200)).text;
  });
  afterAll(async () => {
    await petstore.stop();
    await redis.stop();
  });

  it.each(named)('is exported by the service: %s', (_, expr) => {
    const metrics = metricsOf(expr).filter((name) => !OTHERS.includes(name));
    for (const name of metrics) expect(exported).toMatch(new RegExp(`^${name}[ {]`, 'm'));
    expect(metricsOf(expr)).not.toEqual([]);
  });
});

describe('the alerts', () => {
  it('are those that docs/operating.md explains', () => {
    const explained = [...readText('docs/operating.md').matchAll(/^\| `(Petstore\w+)` /gm)].map(
      ([, name]) => name,
    );
    expect(explained).toEqual(alerts.map(({ alert }) => alert));
  });
});

describeWith('promtool', 'promtool', () => {
  it.each([
    ['check config', 'prometheus.yml'],
    ['check rules', 'alerts.yml'],
    ['test rules', 'alerts.test.yml'],
  ])('%s passes for %s', (command, file) => {
    const path = fileURLToPath(new URL(`../../deploy/prometheus/${file}`, import.meta.url));
    const { status, stdout, stderr } = spawnSync('promtool', [...command.split(' '), path], {
      encoding: 'utf8',
    });
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});
