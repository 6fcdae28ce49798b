import { dump } from 'js-yaml';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeWith } from '../support/describe-with.js';
import { becomes } from '../support/eventually.js';
import { Petstore } from '../support/petstore.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { readText, readYaml, UPDATING_RULES } from '../support/repository.js';
import { PREFIX } from '../support/prefix.js';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly runbook_url: string };
    }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const path = (file: string) => fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url));
const rulesOf = (file: string) => (readYaml<Rules>(file) as [Rules])[0];
const alertsOf = (file: string) => rulesOf(file).groups.flatMap(({ rules }) => rules);

const SERVICE_RULES = 'deploy/prometheus/alerts.yml';
const OPERATOR_RULES = 'kubernetes/prometheus-operator/prometheus-rule.yaml';
const alerts = alertsOf(SERVICE_RULES);
const { panels } = JSON.parse(readText('deploy/grafana/dashboards/petstore.json')) as Dashboard;

const metricsOf = (expr: string) =>
  [...expr.matchAll(new RegExp(String.raw`\b(?:http|${PREFIX}|nodejs|process)_\w+`, 'g'))].map(
    ([name]) => name,
  );
/** Metrics that other services export by the same name. */
const isGeneric = (metric: string) => !metric.startsWith(`${PREFIX}_`);

const named = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

describeWithRedis('the metrics of the alert rules and the dashboard', () => {
  let petstore: Petstore;
  let redis: RedisServer;
  let exported: string;

  beforeAll(async () => {
    redis = await RedisServer.start();
    petstore = await Petstore.start({ env: { REDIS_URL: redis.url } });
    await petstore.client(await petstore.key('free')).get('/v1/events');
    await becomes(async () => (await petstore.client().get('/health/ready')).status, 200); // the first check may exceed its second
    exported = (await petstore.client().get('/metrics').expect(200)).text;
  });
  afterAll(async () => {
    await petstore.stop();
    await redis.stop();
  });

  it.each(named.filter(([, expr]) => !/ALERTS|^vector/.test(expr)))(
    'is exported by the service: %s',
    (_, expr) => {
      expect(metricsOf(expr)).not.toEqual([]);
      for (const name of metricsOf(expr)) expect(exported).toMatch(new RegExp(`^${name}[ {]`, 'm'));
    },
  );

  it.each(alerts.flatMap(({ expr }) => [...expr.matchAll(/route="(.+?)"/g)].map(([, route]) => route)))(
    'is exported for the route %s',
    (route) => {
      expect(exported).toContain(`route="${route}"`);
    },
  );

  it('says what the process is', () => {
    expect(exported).toMatch(
      new RegExp(
        String.raw`^${PREFIX}_build_info{version="\d+\.\d+\.\d+[^"]*",component="service",delivers="true"} 1$`,
        'm',
      ),
    );
  });
});

describe('the alerts', () => {
  it.each(named)('select by what the service exports, not by the name of a job: %s', (_, expr) => {
    expect(expr).not.toMatch(/(job|namespace|service|pod) *=/);
    const joins =
      expr.match(new RegExp(String.raw`on \(job, instance\) (last_over_time\()?${PREFIX}_build_info`, 'g')) ??
      [];
    expect(joins.length).toBeGreaterThanOrEqual(metricsOf(expr).filter(isGeneric).length);
  });

  it('link to their row in docs/incidents.md', () => {
    const anchors = [...readText('docs/incidents.md').matchAll(/<a id="(petstore\w+)">/g)].map(
      ([, id]) => id,
    );
    const all = [...alerts, ...alertsOf('deploy/prometheus/stack-alerts.yml')];
    expect(anchors).toEqual(all.map(({ alert }) => alert.toLowerCase()));
    for (const { alert, annotations } of all)
      expect(annotations.runbook_url).toMatch(
        new RegExp(`^https://\\S+/docs/incidents\\.md#${alert.toLowerCase()}$`),
      );
  });

  it('are the same for the Prometheus operator', () => {
    const metadata = { name: 'petstore' };
    const resource = {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata,
      spec: rulesOf(SERVICE_RULES),
    };
    const text = `# Generated from ${SERVICE_RULES}: UPDATE_RULES=true npm test -- monitoring\n${dump(resource, { lineWidth: -1 })}`;
    if (UPDATING_RULES) writeFileSync(path(OPERATOR_RULES), text);
    expect(readText(`deploy/${OPERATOR_RULES}`)).toBe(text);
  });
});

describeWith('promtool', 'promtool', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return { status, output: status === 0 ? '' : stdout + stderr };
  };

  it.each([
    ['config', 'prometheus.yml'],
    ['rules', 'alerts.yml'],
    ['rules', 'stack-alerts.yml'],
  ])('check %s passes for %s', (command, file) => {
    expect(promtool('check', command, path(`prometheus/${file}`))).toEqual({ status: 0, output: '' });
  });
});
