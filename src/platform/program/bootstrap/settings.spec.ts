import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseConfig } from '../../data/database/database.config.js';
import { HttpConfig } from '../../http/core/http.config.js';
import { Config } from '../../kernel/config/config.js';
import { StartupError } from '../../kernel/config/startup-error.js';
import { LoggingConfig } from '../../observe/logging/logging.config.js';
import { MetricsConfig } from '../../observe/metrics/metrics.config.js';
import { openRedis } from '../../access/rate-limit/redis/open-redis.js';
import { RedisConfig } from '../../access/rate-limit/redis/redis.config.js';
import { TracingConfig } from '../../observe/tracing/tracing.config.js';
import { WebhooksConfig } from '../../feed/webhooks/webhooks.config.js';
import { EventsModule } from '../../feed/events/events.module.js';
import { WebhooksModule } from '../../feed/webhooks/webhooks.module.js';
import { OwnKeyModule } from '../../access/own-key/own-key.module.js';
import { inspectSettings } from './application.js';

const FEATURES = [EventsModule, WebhooksModule, OwnKeyModule];

function config(env: Record<string, string> = {}) {
  const found = inspectSettings(FEATURES, new Config(env)).check();
  const [redis, webhooks] = [found.read(RedisConfig), found.read(WebhooksConfig)];
  return Object.assign(
    { redis, webhooks },
    found.read(HttpConfig),
    found.read(DatabaseConfig),
    found.read(LoggingConfig),
    found.read(MetricsConfig),
    found.read(TracingConfig),
  );
}

function messageFor(env: Record<string, string>): string {
  try {
    config(env);
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  throw new Error(`${JSON.stringify(env)} was accepted`);
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pet store-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Writes a secret to a file. @returns the variable that names the file */
function secretFile(name: string, text: string): Record<string, string> {
  const path = join(folder, 'secret');
  writeFileSync(path, text);
  return { [`${name}_FILE`]: path };
}

describe('Config', () => {
  it('needs no variable at all', () => {
    expect(config()).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: undefined,
      dataDir: '.petstore',
      migrateAtStart: true,
      publicUrl: undefined,
      stagingPublicUrl: undefined,
      trustProxy: false,
      logLevel: 'info',
      corsOrigins: [],
      tracing: false,
    });
  });

  it('enables tracing when a collector is set, unless an OpenTelemetry variable disables it', () => {
    const named = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    expect(config(named).tracing).toBe(true);
    expect(config({ ...named, OTEL_SDK_DISABLED: 'true' }).tracing).toBe(false);
    expect(config({ ...named, OTEL_SDK_DISABLED: 'TRUE' }).tracing).toBe(false);
    expect(config({ ...named, OTEL_SDK_DISABLED: 'false' }).tracing).toBe(true);
    expect(config({ ...named, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBe(false);
    expect(config({ ...named, OTEL_TRACES_EXPORTER: 'otlp' }).tracing).toBe(true);
    expect(config({ OTEL_TRACES_EXPORTER: 'otlp' }).tracing).toBe(false);
  });

  it('checks the endpoint that it uses', () => {
    const endpoints = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.test/v1/traces/',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    };
    expect(config(endpoints).tracing).toBe(true);
    expect(
      config({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318', OTEL_TRACES_EXPORTER: 'none' }).tracing,
    ).toBe(false);
  });

  it.each([
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['DATABASE_URL', 'postgres://u:p@db/pets', { databaseUrl: 'postgres://u:p@db/pets' }],
    ['DATABASE_URL', 'postgres://u:p,q@db/pets', { databaseUrl: 'postgres://u:p,q@db/pets' }],
    ['DATABASE_URL', 'postgresql://db:6432/pets', { databaseUrl: 'postgresql://db:6432/pets' }],
    ['DATABASE_PREPARED_STATEMENTS', 'off', { preparedStatements: false }],
    ['PETSTORE_DATA_DIR', '/var/lib/pet store', { dataDir: '/var/lib/pet store' }],
    ['MIGRATE_AT_START', 'false', { migrateAtStart: false }],
    ['MIGRATE_AT_START', 'off', { migrateAtStart: false }],
    ['PUBLIC_URL', 'https://api.example.com', { publicUrl: 'https://api.example.com' }],
    ['PUBLIC_URL', 'https://example.com/pets/', { publicUrl: 'https://example.com/pets' }],
    ['STAGING_PUBLIC_URL', 'http://staging.test/', { stagingPublicUrl: 'http://staging.test' }],
    ['TRUST_PROXY', '0', { trustProxy: false }],
    ['TRUST_PROXY', '2', { trustProxy: 2 }],
    ['TRUST_PROXY', 'loopback, 10.0.0.0/8,fd00::1', { trustProxy: ['loopback', '10.0.0.0/8', 'fd00::1'] }],
    ['TRUST_PROXY', '::ffff:10.0.0.1', { trustProxy: ['::ffff:10.0.0.1'] }],
    [
      'WEBHOOK_ALLOWED_NETWORKS',
      '10.1.0.0/16, fd00::/8,0.0.0.0/0',
      { webhooks: { allowedNetworks: ['10.1.0.0/16', 'fd00::/8', '0.0.0.0/0'] } },
    ],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_ADDRESSES', 'off', { logAddresses: false }],
    [
      'CORS_ORIGINS',
      'https://a.test, http://b.test:8080',
      { corsOrigins: ['https://a.test', 'http://b.test:8080'] },
    ],
  ])('accepts %s=%s', (name, value, expected) => {
    expect(config({ [name]: value })).toMatchObject(expected);
  });

  it.each(['PORT', 'HOST', 'DATABASE_URL', 'PETSTORE_DATA_DIR', 'PUBLIC_URL', 'TRUST_PROXY', 'LOG_LEVEL'])(
    'treats an empty %s as unset',
    (name) => {
      expect(config({ [name]: ' ' })).toEqual(config());
    },
  );

  it.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3e3'],
    ['PORT', '0x50'],
    ['PORT', 'http'],
    ['DATABASE_URL', 'mysql://db/pets'],
    ['DATABASE_URL', 'db/pets'],
    ['DATABASE_URL', 'postgres://db/pets?application_name=web'],
    ['DATABASE_DIRECT_URL', 'postgres://db/pets?application_name=web'],
    ['MIGRATE_AT_START', 'no'],
    ['METRICS_PORT', '3000'], // the default of PORT
    ['PUBLIC_URL', 'api.example.com'],
    ['PUBLIC_URL', 'ftp://api.example.com'],
    ['PUBLIC_URL', 'https://api.example.com/v1'],
    ['PUBLIC_URL', 'https://api.example.com?region=eu'],
    ['PUBLIC_URL', 'https://api.example.com/#shop'],
    ['PUBLIC_URL', 'https://me:secret@api.example.com'],
    ['PUBLIC_URL', 'https://api.example.com/my shop'],
    ['STAGING_PUBLIC_URL', 'https://api.example.com/shop/v1/'],
    ['DATABASE_DIRECT_URL', 'postgres://db/pets'], // without a DATABASE_URL
    ['REDIS_CLUSTER', 'on'], // without a REDIS_URL
    ['STAGING_PUBLIC_URL', 'staging'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '*'],
    ['TRUST_PROXY', '100'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.1/16'],
    ['TRUST_PROXY', '010.0.0.0/8'],
    ['TRUST_PROXY', '0.0.0.0/0'], // all addresses
    ['TRUST_PROXY', 'loopback, ::/0'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.1'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/33'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.1/16'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8,192.168/16'],
    ['WEBHOOK_ALLOWED_NETWORKS', '010.0.0.0/8'], // octal, 8.0.0.0
    ['WEBHOOK_ALLOWED_NETWORKS', '0x0a.0.0.0/8'],
    ['WEBHOOK_ALLOWED_NETWORKS', '::ffff:10.0.0.0/104'],
    ['WEBHOOK_ALLOWED_NETWORKS', '::ffff:a00:0/104'],
    ['LOG_LEVEL', 'loud'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '//collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://collector:4317'],
    ['OTEL_TRACES_EXPORTER', 'console'],
    ['OTEL_TRACES_EXPORTER', 'otlp,console'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://a.test/'],
    ['CORS_ORIGINS', 'https://a.test,b.test'],
  ])('rejects %s=%s with one line that names the variable', (name, value) => {
    expect(messageFor({ [name]: value })).toMatch(new RegExp(`^${name} .+\\.$`));
  });

  it('reports all invalid variables together', () => {
    expect(
      messageFor({ PORT: 'http', LOG_LEVEL: 'loud', HOST: '0.0.0.0', DATABASE_URL: 'db/pets' }).split('\n'),
    ).toEqual([
      '3 variables are invalid.',
      '  PORT must be a whole number from 0 to 65535; it is "http".',
      '  DATABASE_URL must be a URL that starts with postgres:// or postgresql://.',
      expect.stringMatching(/^ {2}LOG_LEVEL must be one of .*; it is "loud"\.$/),
    ]);
  });

  it('inspect() replaces invalid values with their defaults', () => {
    const found = inspectSettings(FEATURES, new Config({ PORT: 'http', HOST: '0.0.0.0' }));
    expect(found.inspect(HttpConfig)).toMatchObject({ port: 3000, host: '0.0.0.0' });
    expect([...found.problems.keys()]).toEqual(['PORT']);
  });

  it('shows the rejected value, except for a URL, which may contain a password', () => {
    expect(messageFor({ PORT: '70000' })).toContain('"70000"');
    const severalHosts = 'postgres://u:hunter2@db1:5432,db2:5432/pets';
    expect(messageFor({ DATABASE_URL: severalHosts })).not.toContain('hunter2');
    expect(messageFor({ DATABASE_URL: 'mysql://u:hunter2@db/pets' })).not.toContain('hunter2');
  });
});

it.each(['postgres://u:p@db1:5432,db2:5432/pets', 'postgres://db1,db2/pets'])(
  '%s names several hosts',
  (url) => {
    expect(messageFor({ DATABASE_URL: url })).toBe(
      'DATABASE_URL must name one host: put a proxy before several.',
    );
  },
);

it.each([
  ['sslmode=require', 'sslmode=verify-full'],
  ['sslmode=verify-ca&sslrootcert=ca.pem', 'sslmode=verify-full&sslrootcert=ca.pem'],
  ['sslmode=no-verify', 'sslmode=no-verify'],
  ['uselibpqcompat=true&sslmode=require', 'uselibpqcompat=true&sslmode=require'],
])('of a DATABASE_URL with %s, the driver gets %s', (given, taken) => {
  const { databaseUrl } = config({ DATABASE_URL: `postgres://u:p@db/pets?${given}` });
  expect(databaseUrl).toBe(`postgres://u:p@db/pets?${taken}`);
});

it('a URL of a socket names a host', () => {
  expect(messageFor({ DATABASE_URL: 'postgres://u:p@/pets?host=/run/postgresql' })).toBe(
    'DATABASE_URL must name a host; for a socket it is localhost.',
  );
  const DATABASE_URL = 'postgres://u:p@localhost/pets?host=/run/postgresql';
  expect(config({ DATABASE_URL })).toMatchObject({ databaseUrl: DATABASE_URL });
});

describe.each(['DATABASE_URL', 'REDIS_URL'])('%s_FILE', (name) => {
  const url = name === 'REDIS_URL' ? 'redis://:p@redis:6379' : 'postgres://u:p@db/pets';
  const written = (text: string) => secretFile(name, text);

  it(`reads ${name} from the file without the trailing newline`, () => {
    expect(config(written(`${url}\n`))).toMatchObject(
      name === 'REDIS_URL' ? { redis: { url } } : { databaseUrl: url },
    );
  });

  it(`is rejected if ${name} is set too`, () => {
    expect(messageFor({ ...written(url), [name]: url })).toBe(
      `${name}_FILE and ${name} are both set: keep one of them.`,
    );
  });

  it('names the path of a file that cannot be read', () => {
    const path = join(folder, 'none');
    expect(messageFor({ [`${name}_FILE`]: path })).toBe(
      `${name}_FILE must be a readable file; it is "${path}".`,
    );
  });

  it.each(['', 'mysql://u:hunter2@db/pets'])('rejects a file with %j without showing its text', (text) => {
    const message = messageFor(written(text));
    expect(message).toMatch(
      new RegExp(`^${name}_FILE must name a file with a URL that starts with .+//\\.$`),
    );
    expect(message).not.toContain('hunter2');
  });
});

describe('the Redis topology', () => {
  const url = { REDIS_URL: 'redis://r1' };

  it('is a single server by default', () => {
    expect(config(url).redis).toMatchObject({ cluster: false, clusterNodes: [], sentinels: [] });
  });

  it('is a cluster with seed nodes', () => {
    const nodes = { REDIS_CLUSTER: 'true', REDIS_CLUSTER_NODES: 'r2:7000, r3,[fd00::1]:7001' };
    expect(config({ ...url, ...nodes }).redis.clusterNodes).toEqual([
      { host: 'r2', port: 7000 },
      { host: 'r3', port: 6379 },
      { host: 'fd00::1', port: 7001 },
    ]);
  });

  it('is a master behind Sentinel', () => {
    const sentinels = { REDIS_SENTINELS: 's1,s2:5000', REDIS_SENTINEL_PASSWORD: 'p' };
    expect(config({ ...url, ...sentinels }).redis).toMatchObject({
      sentinels: [
        { host: 's1', port: 26_379 },
        { host: 's2', port: 5000 },
      ],
      sentinelName: 'mymaster',
      sentinelPassword: 'p',
    });
  });

  it.each([
    [{ ...url, REDIS_CLUSTER_NODES: 'r2' }, 'REDIS_CLUSTER_NODES needs REDIS_CLUSTER=true.'],
    [
      { REDIS_URL: 'redis://r1/2', REDIS_CLUSTER: 'on' },
      'REDIS_CLUSTER needs a REDIS_URL without a database: a cluster has only 0.',
    ],
    [
      { ...url, REDIS_CLUSTER: 'true', REDIS_SENTINELS: 's1' },
      'REDIS_SENTINELS and REDIS_CLUSTER exclude each other.',
    ],
    [
      { REDIS_SENTINELS: 's1' },
      'REDIS_SENTINELS needs REDIS_URL, for the scheme, the user and the password.',
    ],
    [
      { ...url, REDIS_SENTINELS: 's1,redis://s2' },
      'REDIS_SENTINELS must be hosts such as redis-1:6379, with commas; it is "redis://s2".',
    ],
    [
      { ...url, REDIS_SENTINELS: 's1:99999' },
      'REDIS_SENTINELS must be hosts such as redis-1:6379, with commas; it is "s1:99999".',
    ],
    [{ ...url, REDIS_SENTINEL_NAME: 'primary' }, 'REDIS_SENTINEL_NAME needs REDIS_SENTINELS.'],
    [{ ...url, REDIS_SENTINEL_PASSWORD: 'p' }, 'REDIS_SENTINEL_PASSWORD needs REDIS_SENTINELS.'],
    [
      { ...url, REDIS_SENTINEL_NAME: 'primary', REDIS_SENTINELS: 's1:99999' },
      'REDIS_SENTINELS must be hosts such as redis-1:6379, with commas; it is "s1:99999".',
    ],
  ])('rejects %j', (env, message) => {
    expect(messageFor(env)).toBe(message);
  });

  it('has no password of sentinels in a file without sentinels', () => {
    expect(messageFor({ ...url, ...secretFile('REDIS_SENTINEL_PASSWORD', 'p') })).toBe(
      'REDIS_SENTINEL_PASSWORD_FILE needs REDIS_SENTINELS.',
    );
  });

  it('has a certificate authority with TLS only', () => {
    const { CA_FILE: REDIS_CA_FILE = '' } = secretFile('CA', 'PEM');
    for (const REDIS_URL of ['rediss://r1', 'REDISS://r1'])
      expect(openRedis(config({ REDIS_URL, REDIS_CA_FILE }).redis)).toMatchObject({
        options: { tls: { ca: 'PEM' } },
      });
    for (const env of [url, { ...url, REDIS_CLUSTER: 'on' }, { ...url, REDIS_SENTINELS: 's1' }])
      expect(messageFor({ ...env, REDIS_CA_FILE })).toBe(
        'REDIS_CA_FILE needs a REDIS_URL that starts with rediss://.',
      );
  });
});

describe('WEBHOOK_SECRET_KEYS', () => {
  const key = Buffer.alloc(32, 1).toString('base64');
  const written = (text: string) => secretFile('WEBHOOK_SECRET_KEYS', text);

  it.each<Record<string, string>>([{}, { WEBHOOK_SECRET_KEYS: '' }])('has no keys with %j', (env) => {
    expect(config(env)).toMatchObject({ webhooks: { secretKeys: [] } });
  });

  it('reads several keys, also from a file', () => {
    const secretKeys = [Buffer.alloc(32, 1), Buffer.alloc(32, 1)];
    expect(config({ WEBHOOK_SECRET_KEYS: `${key},${key}` })).toMatchObject({ webhooks: { secretKeys } });
    expect(config(written(`${key}\n${key}\n`))).toMatchObject({ webhooks: { secretKeys } });
  });

  it.each(['', ' \n', 'hunter2', `${key};${key}`, `${key}${key}`, `${key}-old`, `${key}, hunter2`])(
    'rejects a file with %j, which would leave secrets in plain text, or without one of the keys',
    (text) => {
      expect(messageFor(written(text))).toBe(
        'WEBHOOK_SECRET_KEYS must be keys of 32 bytes in base64, as openssl rand -base64 32 makes them.',
      );
    },
  );

  it('is rejected if the file is set too', () => {
    expect(messageFor({ ...written(key), WEBHOOK_SECRET_KEYS: key })).toBe(
      'WEBHOOK_SECRET_KEYS_FILE and WEBHOOK_SECRET_KEYS are both set: keep one of them.',
    );
  });
});
