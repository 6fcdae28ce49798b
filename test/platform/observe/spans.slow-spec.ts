import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Collector, type SentSpan } from '../../support/collector.js';
import { eventually } from '../../support/eventually.js';
import { COMMAND_LINE, emptyFolder, Program, run, SERVICE } from '../../support/program.js';
import { describeWithRedis, RedisServer } from '../../support/redis-server.js';
import { createTestDatabase, type TestDatabase, withClient } from '../../support/test-database.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { requestBytes } from '../../support/wire.js';

const [TRACE, OTHER_TRACE] = ['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c'];
const traceparent = (trace: string) => `00-${trace}-00f067aa0ba902b7-01`;
const SERVER_SPAN = 2;
const ERROR = 2;
const PET = { name: 'Rex', categoryId: 1 };
const PET_PATH = '/v1/pets';

/** Puts a method of a module into a span, as its author would. */
const MODULE = `
  import { createRequire } from 'node:module';
  import { PetsService } from '${new URL('pets/pets.service.js', pathToFileURL(SERVICE)).href}';
  const { trace } = createRequire('${SERVICE}')('@opentelemetry/api');
  const { list } = PetsService.prototype;
  PetsService.prototype.list = function (...args) {
    return trace.getTracer('pets').startActiveSpan('own', async (span) => {
      try {
        return await list.apply(this, args);
      } finally {
        span.end();
      }
    });
  };`;

let collector: Collector;
let database: TestDatabase;
let folder: Awaited<ReturnType<typeof emptyFolder>>;
let key: string;
const programs: Program[] = [];

beforeEach(async () => {
  collector = await Collector.start();
  database = await createTestDatabase();
  folder = await emptyFolder();
  const made = await run(COMMAND_LINE, ['keys', 'create', '--plan', 'pro', '--name', 'x', '--json'], {
    cwd: folder.path,
    env: { DATABASE_URL: database.url },
  });
  ({ key } = JSON.parse(made.stdout) as { key: string });
});
afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.signal('SIGKILL');
    await program.ended;
  }
  await collector.stop();
  await database.drop();
  await folder.remove();
});

/** Starts a program that sends what it has as soon as a span ends. */
const start = (script: string, args: readonly string[], env: Record<string, string>): Program => {
  const program = new Program(script, args, {
    cwd: folder.path,
    env: {
      PORT: '0',
      DATABASE_URL: database.url,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...env,
    },
  });
  programs.push(program);
  return program;
};
const startService = async (env: Record<string, string> = {}) => {
  const program = start(SERVICE, [], { WEBHOOK_WORKER: 'off', ...env });
  await program.prints(/listens at (\S+),/);
  const url = new URL(/listens at (\S+),/.exec(program.stdout)?.[1] ?? '');
  return { program, url, port: Number(url.port) };
};
const stop = async (program: Program) => {
  program.signal('SIGTERM');
  expect((await program.ended).code).toBe(0);
};

const of = (trace: string) => collector.spans.filter(({ traceId }) => traceId === trace);
const parentOf = ({ parentSpanId }: SentSpan) =>
  collector.spans.find(({ spanId }) => spanId === parentSpanId);
/** The span at the top of the tree. */
const rootOf = (span: SentSpan): SentSpan => {
  const parent = parentOf(span);
  return parent ? rootOf(parent) : span;
};
const names = (spans: readonly SentSpan[]) => spans.map(({ name }) => name);
const valueOf = (span: SentSpan | undefined, key: string) => {
  const { value } = span?.attributes.find((attribute) => attribute.key === key) ?? {};
  return value?.stringValue ?? value?.intValue;
};
const servers = () => collector.spans.filter(({ kind }) => kind === SERVER_SPAN);

describe('spans of a request', () => {
  it('has its statements beneath, and nothing that the log omits', async () => {
    const { program, url } = await startService();
    const created = await fetch(new URL(PET_PATH, url), {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'once-only-1',
        'User-Agent': 'hidden-agent',
        traceparent: traceparent(TRACE),
      },
      body: JSON.stringify({ ...PET, name: 'hidden-name' }),
    });
    expect(created.status).toBe(201);
    await fetch(new URL('/v1/pets/77?hidden-query=hidden-value', url), {
      headers: { 'User-Agent': 'hidden-agent' },
    });
    await stop(program);
    const creation = of(TRACE);
    expect(names(creation).filter((name) => name.startsWith('pg.query:')).length).toBeGreaterThan(3);
    expect(names(creation)).toContain('pg-pool.connect');
    expect(new Set(creation.map((span) => rootOf(span).name))).toEqual(new Set(['POST /v1/pets']));
    expect(new Set(collector.spans.map((span) => rootOf(span).kind))).toEqual(new Set([SERVER_SPAN]));
    const sent = JSON.stringify(collector.exports);
    for (const hidden of [
      'hidden-',
      key,
      '/v1/pets/77',
      '"client.',
      'user_agent',
      'peer',
      '"url.path',
      'once-only-1',
    ])
      expect(sent).not.toContain(hidden);
  });

  it('has that of a module beneath, and beneath this what runs in it', async () => {
    const module = join(folder.path, 'module.mjs');
    await writeFile(module, MODULE);
    const { program, url } = await startService({ NODE_OPTIONS: `--import ${pathToFileURL(module).href}` });
    const pets = await fetch(new URL(PET_PATH, url), { headers: { Authorization: `Bearer ${key}` } });
    expect(pets.status).toBe(200);
    await stop(program);
    const own = collector.spans.find(({ name }) => name === 'own');
    expect(own && parentOf(own)?.name).toBe('GET /v1/pets');
    const beneath = collector.spans.filter((span) => parentOf(span) === own);
    expect(names(beneath).some((name) => name.startsWith('pg.query:'))).toBe(true);
  });

  it('are of their own request if requests share a packet', async () => {
    const { program, port } = await startService();
    const list = (trace: string, path: string) =>
      requestBytes({
        path,
        headers: [
          ['Authorization', `Bearer ${key}`],
          ['traceparent', traceparent(trace)],
        ],
      });
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.write(Buffer.concat([list(TRACE, '/v1/pets'), list(OTHER_TRACE, '/v1/categories')]));
    await eventually(() => received.match(/HTTP\/1\.1 200/g)?.length === 2);
    socket.destroy();
    await stop(program);
    for (const [trace, name] of [
      [TRACE, 'GET /v1/pets'],
      [OTHER_TRACE, 'GET /v1/categories'],
    ] as const) {
      expect(names(of(trace)).some((each) => each.startsWith('pg.query:'))).toBe(true);
      expect(new Set(of(trace).map((span) => rootOf(span).name))).toEqual(new Set([name]));
    }
  });

  it('end with the status of a failure, and without a message of PostgreSQL', async () => {
    const { program, url } = await startService();
    await withClient(database.url, (client) => client.query('ALTER TABLE pets RENAME TO hidden_pets'));
    const failed = await fetch(new URL(PET_PATH, url), { headers: { Authorization: `Bearer ${key}` } });
    expect(failed.status).toBe(500);
    await stop(program);
    const [server] = servers();
    expect(server).toMatchObject({ name: 'GET /v1/pets', status: { code: ERROR } });
    expect(valueOf(server, 'http.response.status_code')).toBe(500);
    const statement = collector.spans.find(({ status }) => status.code === ERROR);
    expect(statement?.name).toMatch(/^pg\.query:/);
    expect(collector.spans.map(({ status }) => status)).not.toContainEqual(
      expect.objectContaining({ message: expect.anything() as unknown }),
    );
  });

  it('say that the client has gone', async () => {
    const { program, port } = await startService();
    await withClient(database.url, async (client) => {
      await client.query('BEGIN; LOCK pets IN ACCESS EXCLUSIVE MODE');
      const socket = connect(port, '127.0.0.1');
      socket.write(
        requestBytes({
          path: PET_PATH,
          headers: [
            ['Authorization', `Bearer ${key}`],
            ['traceparent', traceparent(TRACE)],
          ],
        }),
      );
      await eventually(async () => {
        const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted');
        return rows.length > 0;
      });
      socket.destroy();
      await once(socket, 'close');
      await program.prints(/"aborted":true/);
      await client.query('ROLLBACK');
    });
    await stop(program);
    const [server] = servers();
    expect(valueOf(server, 'error.type')).toBe('aborted');
    expect(valueOf(server, 'http.response.status_code')).toBe(499);
  });

  it('belong to the trace of its log line, also if it began here', async () => {
    const { program, url } = await startService();
    await fetch(new URL('/v1/pets', url), { headers: { 'X-Request-Id': 'own-trace' } });
    await stop(program);
    const line = program.stdout.split('\n').find((each) => each.includes('"own-trace"')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({ traceId: servers()[0]?.traceId });
  });
});

describeWithRedis('a command of Redis', () => {
  it('is a span without its arguments, which contain addresses', async () => {
    const redis = await RedisServer.start();
    try {
      const { program, url } = await startService({ REDIS_URL: redis.url });
      await fetch(new URL('/v1/pets', url), { headers: { Authorization: `Bearer ${key}` } });
      await stop(program);
    } finally {
      await redis.stop();
    }
    const scripts = collector.spans.filter(({ name }) => /^eval(sha)?$/.test(name));
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) {
      expect(valueOf(script, 'db.query.text')).toBe(script.name);
      expect(rootOf(script).name).toBe('GET /v1/pets');
    }
  });
});

describe('a delivery', () => {
  it('has a span with its statements and attempts; polling has none, and no endpoint learns of the trace', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      const service = await startService();
      const post = (path: string, body: object) =>
        fetch(new URL(path, service.url), {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${key}`,
            'Content-Type': 'application/json',
            traceparent: traceparent(TRACE),
          },
          body: JSON.stringify(body),
        });
      expect((await post('/v1/webhooks', { url: receiver.url })).status).toBe(201);
      expect((await post(PET_PATH, PET)).status).toBe(201);
      await stop(service.program);
      collector.spans.length = 0;
      const worker = start(COMMAND_LINE, ['worker'], {});
      await worker.prints(/The worker delivers webhooks\./);
      const { headers } = await receiver.message(0);
      expect(Object.keys(headers)).not.toContain('traceparent');
      await stop(worker);
    } finally {
      receiver.stop();
    }
    const attempt = collector.spans.find(({ name }) => name === 'attempt');
    expect(valueOf(attempt, 'http.response.status_code')).toBe(204);
    expect(names(collector.spans)).toContain('pg-pool.connect');
    expect(names(collector.spans).some((name) => name.startsWith('pg.query:'))).toBe(true);
    expect(new Set(collector.spans.map((span) => rootOf(span).name))).toEqual(new Set(['deliver webhook']));
    expect(JSON.stringify(collector.exports)).not.toContain('/hook');
  });
});

describe('without a collector', () => {
  it('loads nothing for traces', async () => {
    const spy = join(folder.path, 'spy.cjs');
    await writeFile(spy, `process.on('exit', () => console.error(Object.keys(require.cache).join('\\n')));`);
    const { program } = await startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      NODE_OPTIONS: `--require "${spy}"`,
    });
    program.signal('SIGTERM');
    const { stderr } = await program.ended;
    expect(stderr).toContain('node_modules/pg/');
    expect(stderr).not.toMatch(/@opentelemetry\/(?!api\/)|in-the-middle|node_modules\/ioredis/);
  });
});
