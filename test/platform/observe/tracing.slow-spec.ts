import { Collector } from '../../support/collector.js';
import { emptyFolder, Program, SERVICE } from '../../support/program.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { PREFIX } from '../../support/prefix.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SERVER_SPAN = 2;

describe('tracing by OpenTelemetry’s standard variables', () => {
  let collector: Collector;
  let database: TestDatabase;
  let folder: Awaited<ReturnType<typeof emptyFolder>>;

  beforeEach(async () => {
    collector = await Collector.start();
    database = await createTestDatabase();
    folder = await emptyFolder();
  });
  afterEach(async () => {
    await collector.stop();
    await database.drop();
    await folder.remove();
  });

  /** Runs the service, sends two requests, the first of which belongs to a trace, and stops it. */
  const serve = async (env: Record<string, string>) => {
    const service = new Program(SERVICE, [], {
      cwd: folder.path,
      env: { PORT: '0', DATABASE_URL: database.url, ...env },
    });
    await service.prints(/listens at/);
    const [base] = /http:\/\/[\d.:]+/.exec(service.stdout) ?? [];
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, 'X-Request-Id': 'first' };
    await fetch(`${base}/v1/pets/5`, { headers });
    await fetch(`${base}/v1/pets`);
    service.signal('SIGTERM');
    return service.ended;
  };

  it('sends a span for each request, in the trace of its caller', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_RESOURCE_ATTRIBUTES: 'deployment=test' };
    const { code } = await serve(env);
    expect(code).toBe(0);
    const [first, second, ...more] = collector.spans;
    expect(first).toMatchObject({
      traceId: TRACE,
      parentSpanId: PARENT,
      name: 'GET /v1/pets/:petId',
      kind: SERVER_SPAN,
    });
    const attributes = Object.fromEntries(first?.attributes.map(({ key, value }) => [key, value]) ?? []);
    expect(attributes).toMatchObject({
      'http.route': { stringValue: '/v1/pets/:petId' },
      'http.response.status_code': { intValue: 401 },
      'petstore.request_id': { stringValue: 'first' },
    });
    expect(second?.traceId).not.toBe(TRACE);
    expect(second?.parentSpanId).toBeFalsy();
    expect(more).toEqual([]);
    expect(collector.resource.get('service.name')).toBe(PREFIX);
    expect(collector.resource.get('deployment')).toBe('test');
  });

  it('sends nothing if the sampler drops all spans', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_off' };
    expect((await serve(env)).code).toBe(0);
    expect(collector.spans).toEqual([]);
  });
});
