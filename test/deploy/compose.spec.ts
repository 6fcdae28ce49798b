import { readText, readYaml } from '../support/repository.js';

interface Mount {
  readonly source: string;
  readonly target: string;
  readonly read_only: boolean;
  readonly volume: { readonly subpath: string };
}

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly build?: { readonly args: Record<string, string> };
  readonly pull_policy?: string;
  readonly restart: string;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly privileged?: boolean;
  readonly command?: string[];
  readonly environment?: Record<string, string | null>;
  readonly ports?: string[];
  readonly volumes?: (string | Mount)[];
  readonly profiles?: string[];
  readonly networks?: string[];
  readonly logging?: { options: Record<string, string> };
  readonly deploy?: { replicas?: string; resources: { limits: Record<string, string | number> } };
  readonly healthcheck?: { test?: string[]; disable?: boolean };
  readonly depends_on?: Record<string, { condition: string }>;
}

interface Compose {
  readonly services: Record<string, Service>;
  readonly networks: Record<string, { internal?: boolean } | null>;
  readonly volumes: Record<string, null>;
}

const [quick] = readYaml<Compose>('docker-compose.yml') as [Compose];
const [production] = readYaml<Compose>('deploy/compose/production.yml') as [Compose];
const [observe] = readYaml<Compose>('deploy/compose/observe.yml') as [Compose];
const compose: Compose = {
  services: { ...production.services, ...observe.services },
  networks: production.networks,
  volumes: { ...production.volumes, ...observe.volumes },
};
const services = Object.entries(compose.services);
const service = (name: string): Service => {
  const found = compose.services[name];
  if (!found) throw new Error(`There is no service ${name}.`);
  return found;
};

const isOurs = ({ image }: Service): boolean => image.startsWith('petstore:');

describe.each(services)('docker compose: %s', (name, its) => {
  it('has no capabilities, can get no privileges, and writes only where it has to', () => {
    expect(its).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: true,
    });
    expect(its.privileged).toBeUndefined();
  });

  it('runs as a user that is not root', () => {
    // Ours and Grafana's images have a user by themselves.
    if (!isOurs(its) && !its.image.startsWith('grafana/'))
      expect(its.user).toMatch(/^(postgres|redis|haproxy|nobody|999:999)$/);
    expect(its.user).not.toBe('root');
  });

  it('has limits for memory, CPU, processes and the log', () => {
    expect(Object.keys(its.deploy?.resources.limits ?? {}).sort()).toEqual(['cpus', 'memory', 'pids']);
    expect(Object.keys(its.logging?.options ?? {}).sort()).toEqual(['max-file', 'max-size']);
  });

  it('names the version of its image, and has no secret in its environment', () => {
    expect(its.image).toMatch(/^[^:]+:(?!latest)[^:@]+(@sha256:[0-9a-f]{64})?$|^petstore:/);
    for (const [variable, value] of Object.entries(its.environment ?? {})) {
      if (value !== '' && /PASSWORD|SECRET|_URL/.test(variable) && variable !== 'PUBLIC_URL')
        expect(value).toMatch(/^\/run\/secrets\//);
    }
    expect(name).toMatch(/^[a-z-]+$/);
  });

  it('mounts volumes that are declared, and files read-only', () => {
    for (const volume of its.volumes ?? []) {
      if (typeof volume === 'object') {
        expect(volume).toEqual({
          type: 'volume',
          source: 'secrets',
          target: '/run/secrets',
          read_only: true,
          volume: { subpath: name }, // its own secrets alone
        });
        continue;
      }
      const [source = ''] = volume.split(':');
      if (source === 'secrets') expect(name).toBe('secrets');
      if (source.startsWith('.')) expect(volume).toMatch(/:ro$/);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });
});

describe('docker compose up', () => {
  it('starts the service, PostgreSQL and Redis, and publishes the service on 127.0.0.1 only', () => {
    expect(Object.keys(quick.services)).toEqual(['petstore', 'postgres', 'redis']);
    expect(Object.values(quick.services).flatMap(({ ports = [] }) => ports)).toEqual([
      '127.0.0.1:${PETSTORE_PORT:-3000}:3000',
    ]);
  });
});

describe('deploy/compose/production.yml', () => {
  it('removes the known passwords and the port of docker-compose.yml', () => {
    expect(production.services.petstore).toMatchObject({
      ports: [],
      environment: { DATABASE_URL: '', REDIS_URL: '' },
    });
    expect(production.services.postgres?.environment).toMatchObject({ POSTGRES_PASSWORD: '' });
  });

  it('builds its image once, since two builds of one tag beside each other may fail', () => {
    const ours = services.filter(([, its]) => isOurs(its));
    expect(quick.services.petstore?.build).toBeDefined();
    expect(ours.map(([name, { build, pull_policy }]) => [name, build, pull_policy])).toEqual([
      ['migrate', undefined, 'never'],
      ['petstore', undefined, undefined],
      ['worker', undefined, 'never'],
    ]);
    const [pinned] = readYaml<Compose>('deploy/compose/digests.yml') as [Compose];
    expect(Object.keys(pinned.services).filter((name) => pinned.services[name]?.build)).toEqual(['petstore']);
  });

  it('listens on 127.0.0.1 alone, unless TLS is told to listen elsewhere', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    expect(published).toEqual([
      ['acme', '0.0.0.0:80:8080'], // to prove whose name it is
      ['proxy', '127.0.0.1:${PETSTORE_PORT:-3000}:3000'],
      ['proxy', '${PETSTORE_TLS_ADDRESS:-127.0.0.1}:${PETSTORE_TLS_PORT:-3443}:3443'],
      ['prometheus', '127.0.0.1:9090:9090'],
      ['grafana', '127.0.0.1:3001:3000'],
    ]);
    expect(readText('deploy/haproxy/haproxy.cfg')).toMatch(/^ +bind :3443 ssl crt \S+ alpn/m);
  });

  it('waits until every long-running container is healthy', () => {
    for (const [, { restart, healthcheck }] of services) {
      if (restart !== 'no') expect(healthcheck?.test?.[0]).toBe('CMD');
    }
  });

  it('delivers webhooks in a worker, which alone can reach the internet', () => {
    expect(service('petstore').environment).toMatchObject({ WEBHOOK_WORKER: 'off' });
    expect(service('worker')).toMatchObject({
      command: ['petstore', 'worker'],
      networks: ['private', 'outbound'],
    });
    for (const name of ['petstore', 'worker'])
      expect(service(name).environment?.WEBHOOK_SECRET_KEYS_FILE).toBe('/run/secrets/webhook_secret_keys');
  });

  it('gives the service the permissions in Redis that the documentation lists', () => {
    const [, documented] = /^user petstore on >PASSWORD (.+)$/m.exec(readText('docs/running.md')) ?? [];
    const [, given] = /^user petstore on #\$\(.+\) (~.+)$/m.exec(readText('deploy/compose/secrets.sh')) ?? [];
    expect(given).toBe(documented);
  });

  it('logs no query of a request at the proxy', () => {
    expect(readText('deploy/haproxy/haproxy.cfg')).toMatch(/^ +log-format "(?!.*%(r|HU|HQ)\b).* %HPO"$/m);
  });

  it('exposes only the proxy and the observers, and lets no process of the service but the worker reach the internet', () => {
    expect(compose.networks.private).toEqual({ internal: true });
    for (const name of ['petstore', 'migrate', 'postgres', 'redis'])
      expect(service(name).networks).toEqual(['private']);
  });
});

describe('deploy/compose/digests.yml', () => {
  const [base] = readYaml<Compose>('deploy/compose/digests.yml') as [Compose];
  const [observers] = readYaml<Compose>('deploy/compose/observe-digests.yml') as [Compose];
  const pinned = { services: { ...base.services, ...observers.services } };

  const images = services.filter(([name, its]) => !isOurs(its) || name === 'petstore');

  it.each(images)('pins %s by digest, at its tag', (name, its) => {
    const tag = isOurs(its) ? 'node:24-bookworm-slim' : its.image;
    const pin = pinned.services[name];
    const [found, digest] = ((isOurs(its) ? pin?.build?.args.NODE_IMAGE : pin?.image) ?? '').split('@');
    expect(found).toBe(tag);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('has the base image of the release', () => {
    const [base] = /NODE_IMAGE=\S+/.exec(readText('.github/workflows/release.yml')) ?? [];
    expect(base).toBe(`NODE_IMAGE=${pinned.services.petstore?.build?.args.NODE_IMAGE}`);
  });
});
