import {
  ConflictError,
  ConnectionError,
  NotFoundError,
  PetstoreClient,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../src/index.js';
import { isWorthAnotherTry } from '../src/retry.js';
import { RUNTIME } from '../src/runtime.js';
import { all, type ScriptedResponse, ScriptedService, TestTime } from './scripted-service.js';

const PET = { name: 'Rex', categoryId: 7n };
const BROKEN: ScriptedResponse = { instead: 'broken' };

let service: ScriptedService;
let time: TestTime;

// One for each test, because an aborted request may arrive after its test.
beforeEach(async () => {
  service = await ScriptedService.start();
  time = new TestTime();
});
afterEach(() => {
  service.stop();
});

const status = (code: number, headers: Record<string, string> = {}): ScriptedResponse => ({
  status: code,
  headers,
  body: 'no JSON',
});
const retryAfter = (seconds: number | string): ScriptedResponse =>
  status(429, { 'Retry-After': String(seconds) });
const problem = (code: string, response: ScriptedResponse): ScriptedResponse => ({
  ...response,
  body: { code, message: 'No.', status: response.status },
});

describe('waiting', () => {
  it('backs off exponentially with full jitter where there is no Retry-After', async () => {
    service.responses = [status(503), status(502), status(504), status(503)];
    await all(time.client(service.url).pets.list());
    expect(time.waits).toEqual([250, 500, 1_000, 2_000]);
    expect(service.received).toHaveLength(5);
  });

  it('never waits longer than its bound, and may wait next to nothing', async () => {
    service.responses = Array.from({ length: 9 }, () => status(503));
    await all(time.client(service.url, { maxRetries: 9, totalTimeout: 1e9 }).pets.list());
    expect(time.waits.slice(-3)).toEqual([15_000, 15_000, 15_000]);
    service.responses = [status(503)];
    time.random = 0;
    await all(time.client(service.url).pets.list());
    expect(time.waits.at(-1)).toBe(0);
  });

  it('waits for Retry-After and the back-off', async () => {
    service.responses = [retryAfter(1), retryAfter(2), retryAfter(3)];
    await all(time.client(service.url).pets.list());
    expect(time.waits).toEqual([1_250, 2_500, 4_000]);
  });

  it('understands a Retry-After that is a date, in the past too, and ignores what is neither', async () => {
    service.responses = [
      retryAfter('Thu, 01 Jan 2026 00:00:07 GMT'),
      retryAfter('Thu, 01 Jan 1970 00:00:00 GMT'),
      retryAfter('soon'),
    ];
    await all(time.client(service.url).pets.list());
    expect(time.waits).toEqual([7_250, 500, 1_000]);
  });
});

describe('limits', () => {
  it('gives up after its retries, with the last response', async () => {
    service.responses = [status(502), status(503), status(504)];
    const call = all(time.client(service.url, { maxRetries: 2 }).pets.list());
    await expect(call).rejects.toThrow(ServerError);
    await expect(call).rejects.toMatchObject({
      status: 504,
      code: 'unknown',
      message: '504 Gateway Timeout',
    });
    expect(time.waits).toHaveLength(2);
  });

  it('takes the retries of one call from its options', async () => {
    service.responses = [status(503)];
    const client = time.client(service.url);
    await expect(client.rateLimits.get({ maxRetries: 0 })).rejects.toMatchObject({ status: 503 });
    expect(service.received).toHaveLength(1);
  });

  it('fails at once when the wait would end beyond the total time', async () => {
    service.responses = [problem('daily_quota_exceeded', retryAfter(51_022))];
    const call = time.client(service.url).rateLimits.get();
    await expect(call).rejects.toThrow(RateLimitError);
    await expect(call).rejects.toMatchObject({ code: 'daily_quota_exceeded', retryAfter: 51_022 });
    expect(time.waits).toEqual([]);
  });

  it('throws an error of its own when a busy program wakes up after the total time', async () => {
    service.responses = [status(503), { instead: 'silence' }];
    const sleep = (milliseconds: number) => {
      time.now += milliseconds + 10_000;
      return Promise.resolve();
    };
    const { timeout } = RUNTIME; // refuses negative times
    const client = time.client(service.url, { totalTimeout: 5_000, runtime: { sleep, timeout } });
    await expect(all(client.pets.list())).rejects.toThrow(TimeoutError);
  });

  it('shortens the last try to what is left of the total time', async () => {
    service.responses = [retryAfter(3), retryAfter(3)];
    const client = time.client(service.url, { timeout: 4_000, totalTimeout: 5_000 });
    await expect(client.rateLimits.get()).rejects.toMatchObject({ status: 429 });
    expect(time.limits).toEqual([4_000, 1_750]);
    expect(time.waits).toEqual([3_250]);
  });

  it('ends a try without a response after its time, and tries again', async () => {
    service.responses = [{ instead: 'silence' }];
    service.onRequest = () => {
      service.onRequest = () => undefined;
      time.limit.abort();
    };
    await all(time.client(service.url, { timeout: 700 }).pets.list());
    expect(time.limits).toEqual([700, 700]);
    expect(time.waits).toEqual([250]);
  });

  it('throws a TimeoutError when no try gets a response in time', async () => {
    service.responses = [{ instead: 'silence' }];
    service.onRequest = () => {
      time.limit.abort();
    };
    const call = time.client(service.url, { timeout: 700, maxRetries: 0 }).rateLimits.get();
    await expect(call).rejects.toThrow(TimeoutError);
    await expect(call).rejects.toMatchObject({
      code: 'timeout',
      message: `No complete response from ${new URL(service.url).host} within 700 ms.`,
      status: undefined,
      requestId: service.received[0]?.headers['x-request-id'],
    });
  });
});

describe('a signal', () => {
  const mine = new Error('I have changed my mind.');

  it('ends a call that waits for its response, with the reason of the signal', async () => {
    service.responses = [{ instead: 'silence' }];
    const controller = new AbortController();
    service.onRequest = () => {
      controller.abort(mine);
    };
    await expect(time.client(service.url).rateLimits.get({ signal: controller.signal })).rejects.toBe(mine);
    expect(service.received).toHaveLength(1);
  });

  it('ends a call that waits for its next try', async () => {
    service.responses = [status(503, { 'Retry-After': '100' })];
    const controller = new AbortController();
    const client = new PetstoreClient({
      url: service.url,
      apiKey: 'petstore_x',
      onResponse: () => {
        setImmediate(() => {
          controller.abort(mine);
        });
      },
    });
    await expect(client.rateLimits.get({ signal: controller.signal })).rejects.toBe(mine);
  });

  it('that is aborted already sends nothing', async () => {
    const call = time
      .client(service.url)
      .pets.list({}, { signal: AbortSignal.abort(mine) })
      .page();
    await expect(call).rejects.toBe(mine);
    expect(service.received).toEqual([]);
  });
});

describe('what is tried again', () => {
  it('a request without a response, or with half of one', async () => {
    service.responses = [BROKEN, { instead: 'half', body: [] }];
    await all(time.client(service.url).pets.list());
    expect(service.received).toHaveLength(3);
    expect(time.waits).toEqual([250, 500]);
  });

  it('throws a ConnectionError when no try gets a response', async () => {
    service.responses = [BROKEN, BROKEN];
    const call = time.client(service.url, { maxRetries: 1 }).pets.create(PET);
    await expect(call).rejects.toThrow(ConnectionError);
    await expect(call).rejects.toMatchObject({ code: 'connection_failed', details: [] });
    await expect(call).rejects.toHaveProperty('cause');
  });

  it('a POST, with the same Idempotency-Key each time; another call has another', async () => {
    service.responses = [
      problem('rate_limit_exceeded', status(429)),
      problem('service_unavailable', status(503)),
      problem('idempotency_in_progress', status(409, { 'Retry-After': '1' })),
      BROKEN,
      { status: 201, body: {} },
      { status: 201, body: {} },
    ];
    const { pets } = time.client(service.url);
    await pets.create(PET);
    await pets.create(PET);
    const keys = service.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(6);
    expect(new Set(keys.slice(0, 5)).size).toBe(1);
    expect(new Set(keys).size).toBe(2);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(service.received.map(({ body }) => body))).toEqual(
      new Set(['{"name":"Rex","categoryId":7}']),
    );
    expect(time.waits).toEqual([250, 500, 2_000, 2_000]);
  });

  it('takes an Idempotency-Key of the caller', async () => {
    service.responses = [status(503), { status: 201, body: {} }];
    await time.client(service.url).pets.create(PET, { idempotencyKey: 'rex-of-this-morning' });
    expect(service.received.map(({ headers }) => headers['idempotency-key'])).toEqual(
      Array.from({ length: 2 }, () => 'rex-of-this-morning'),
    );
  });

  it('names each try in the log of the service by an id of its own', async () => {
    service.responses = [status(503)];
    await all(time.client(service.url).pets.list());
    expect(new Set(service.received.map(({ headers }) => headers['x-request-id'])).size).toBe(2);
  });

  it.each([400, 401, 403, 404, 409, 410, 422, 500])('nothing after %s', async (refused) => {
    service.responses = [problem('some_code', status(refused, { 'Retry-After': '1' }))];
    await expect(time.client(service.url).pets.create(PET)).rejects.toMatchObject({ status: refused });
    expect(service.received).toHaveLength(1);
  });

  describe('a DELETE', () => {
    const notFound = problem('pet_not_found', status(404));

    it.each([
      ['a lost response', BROKEN],
      ['503', status(503)],
    ])('is done when a retry after %s gets 404', async (_, first) => {
      service.responses = [first, notFound];
      expect(await time.client(service.url).pets.remove(7n)).toMatchObject({ status: 404 });
    });

    it.each<[string, ScriptedResponse[]]>([
      ['the first attempt', [notFound]],
      ['a retry after 429, which deletes nothing', [status(429), notFound]],
      ['a retry, from a proxy', [BROKEN, status(404)]],
      ['a retry, because the route is unknown', [BROKEN, problem('route_not_found', status(404))]],
    ])('throws a NotFoundError when 404 is the response to %s', async (_, responses) => {
      service.responses = responses;
      await expect(time.client(service.url).pets.remove(7n)).rejects.toThrow(NotFoundError);
      expect(service.responses).toEqual([]);
    });
  });

  it('of an operation that may be done twice only what was refused before it began', () => {
    const post = { method: 'POST', path: '/somewhere' } as const;
    const problem = { code: 'x', message: 'x' };
    expect(isWorthAnotherTry(post, new RateLimitError({ ...problem, status: 429 }))).toBe(true);
    for (const error of [
      new ServerError({ ...problem, status: 503 }),
      new ConnectionError(problem),
      new ConflictError({ ...problem, code: 'idempotency_in_progress', status: 409 }),
    ]) {
      expect(isWorthAnotherTry(post, error)).toBe(false);
      expect(isWorthAnotherTry({ ...post, takesIdempotencyKey: true }, error)).toBe(true);
      for (const method of ['GET', 'PUT', 'DELETE'] as const)
        expect(isWorthAnotherTry({ ...post, method }, error)).toBe(true);
    }
  });
});
