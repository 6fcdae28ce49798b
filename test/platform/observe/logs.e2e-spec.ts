import { Controller, Get, Module, Param, Query } from '@nestjs/common';
import { connect, type AddressInfo } from 'node:net';
import { DomainError } from '../../../src/platform/kernel/errors/domain-error.js';
import type { ErrorKind } from '../../../src/platform/kernel/errors/error-kind.js';
import { eventually } from '../../support/eventually.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { readText } from '../../support/repository.js';
import { bearer, requestBytes, send } from '../../support/wire.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

class LabelPrinterFailed extends DomainError {
  constructor(kind: ErrorKind, cause?: Error) {
    super(kind, 'label_printer_failed', 'The label could not be printed.');
    this.cause = cause;
  }
}

/** Ends the request that waits for the printer. */
let printed: (() => void) | undefined;

@Controller({ path: 'on-labels', version: '1' })
class LabelsController {
  @Get('slow')
  wait(): Promise<void> {
    return new Promise((end) => (printed = end));
  }

  @Get(':kind')
  print(@Param('kind') kind: ErrorKind, @Query('cause') cause?: string): void {
    throw new LabelPrinterFailed(kind, cause === undefined ? undefined : new Error(cause));
  }
}

@Module({ controllers: [LabelsController] })
class LabelsModule {}

describe('the log', () => {
  let petstore: Petstore;
  let key: string;
  let keyId: number;

  beforeAll(async () => {
    petstore = await Petstore.start({ modules: [ItemsModule, LabelsModule] });
    key = await petstore.key('pro');
    const [row] = await petstore.query<{ id: string }>('SELECT id FROM api_keys');
    keyId = Number(row?.id);
  });
  afterAll(() => petstore.stop());

  /** Finds a request's log line by the id sent with it. */
  const lineOf = async (requestId: string) => {
    const line = () => petstore.log.find((one) => one.requestId === requestId && 'durationMs' in one);
    await eventually(() => line() !== undefined);
    return line();
  };

  it('has one line for each request: its id, route, status, duration, key and plan', async () => {
    await petstore.client(key).get('/v1/items?limit=3').set('X-Request-Id', 'one').expect(200);
    expect(await lineOf('one')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: 'one',
      method: 'GET',
      route: '/v1/items',
      status: 200,
      durationMs: 0,
      keyId,
      plan: 'pro',
      address: expect.stringContaining('127.0.0.1'), // a leaked key can be traced
    });
    expect(petstore.log.filter(({ requestId }) => requestId === 'one')).toHaveLength(1);
  });

  it.each(['docs/keys.md', 'docs/troubleshooting.md'])('is found by the pattern of %s', async (page) => {
    const [, pattern = ''] = /^grep -o '([^']+)' petstore\.log \| jq/m.exec(readText(page)) ?? [];
    await petstore.client(key).get('/v1/items').set('X-Request-Id', page);
    expect(pattern).toContain('durationMs');
    expect(JSON.stringify(await lineOf(page))).toMatch(new RegExp(pattern.replace(/\d+/, String(keyId))));
  });

  it.each([
    ['/v1/items/1', '/v1/items/:itemId', 404],
    ['/v1/nothing/here', '/v1/*path', 404],
    ['/v1/items?limit=0', '/v1/items', 400],
    ['/v1/%', '/v1/*path', 400],
    ['/nowhere', 'none', 404],
    ['/docs', '/docs', 200],
    ['/docs/theme.css', '/docs/theme.css', 200],
  ])('names %s by its pattern %s', async (path, route, status) => {
    await petstore.client(key).get(path).set('X-Request-Id', `pattern ${path}`.replaceAll(' ', '-'));
    expect(await lineOf(`pattern-${path}`)).toMatchObject({ route, status });
  });

  it('identifies a caller without a valid key by its address, as the quota does', async () => {
    await petstore.client().get('/v1/items').set('X-Request-Id', 'anonymous').expect(401);
    const line = await lineOf('anonymous');
    expect(line).toMatchObject({ status: 401, address: expect.stringContaining('127.0.0.1') });
    expect(line).not.toHaveProperty('plan');
  });

  it.each([
    ['without-a-key', '/v1/items', '', 401, 'missing_api_key'],
    ['with-an-unknown-key', '/v1/items', 'petstore_unknown', 401, 'invalid_api_key'],
    ['for-nothing', '/v1/items/999', undefined, 404, 'item_not_found'],
    ['of-a-module', '/v1/on-labels/conflict', undefined, 409, 'label_printer_failed'],
    ['unavailable-printer', '/v1/on-labels/unavailable', undefined, 503, 'label_printer_failed'],
  ])('has the code of the Error: %s', async (id, path, other, status, code) => {
    const sent = other ?? key;
    const headers = { 'X-Request-Id': id, ...(sent && { Authorization: `Bearer ${sent}` }) };
    const { body } = await petstore.client().get(path).set(headers).expect(status);
    expect(body).toMatchObject({ code });
    expect(await lineOf(id)).toMatchObject({ status, code });
  });

  it('continues the trace of a traceparent', async () => {
    const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`;
    await petstore.client(key).get('/v1/items').set({ 'X-Request-Id': 'traced', traceparent });
    expect(await lineOf('traced')).toMatchObject({ traceId: TRACE });
  });

  it('ignores an invalid traceparent', async () => {
    await petstore
      .client(key)
      .get('/v1/items')
      .set({ 'X-Request-Id': 'untraced', traceparent: 'nonsense' })
      .expect(200);
    expect(await lineOf('untraced')).not.toHaveProperty('traceId');
  });

  it('notes if the client disconnected before its response', async () => {
    const client = connect((petstore.app.getHttpServer().address() as AddressInfo).port);
    client.write(
      requestBytes({ path: '/v1/on-labels/slow', headers: [bearer(key), ['X-Request-Id', 'gone']] }),
    );
    await eventually(() => printed !== undefined);
    client.destroy();
    const route = '/v1/on-labels/slow';
    expect(await lineOf('gone')).toMatchObject({
      status: 499,
      aborted: true,
      route,
      keyId,
      address: expect.stringContaining('127.0.0.1'),
    });
    printed?.();
  });

  it('contains no path, query or header of a request, because they may hold secrets', async () => {
    await send(petstore, {
      path: `/v1/items/${key}?key=${key}`,
      headers: [bearer(key), ['X-Request-Id', 'secret'], ['X-Api-Key', key], ['Cookie', key]],
    });
    await lineOf('secret');
    expect(JSON.stringify(petstore.log)).not.toContain(key);
  });

  it('contains an error of the service once, with its request and stack, and status 500', async () => {
    await petstore.query('ALTER TABLE items RENAME TO hidden_items');
    await petstore.client(key).get('/v1/items').set('X-Request-Id', 'broken').expect(500);
    await petstore.query('ALTER TABLE hidden_items RENAME TO items');
    expect(await lineOf('broken')).toMatchObject({ level: 'error', status: 500 });
    const [told, ...more] = petstore.log.filter((one) => one.requestId === 'broken' && 'stack' in one);
    expect(told).toMatchObject({
      level: 'error',
      context: 'ErrorFilter',
      msg: expect.stringContaining('items'),
    });
    expect(more).toEqual([]);
  });

  it.each([
    ['internal', 'no paper', 'error', 'no paper'],
    ['conflict', 'no paper', 'warn', 'label_printer_failed: no paper'],
    ['internal', undefined, 'error', 'The label could not be printed.'],
  ])('contains the cause of an error of a module: %s, %s', async (kind, cause, level, msg) => {
    const id = `${kind}-${cause?.length}`;
    await petstore.client(key).get(`/v1/on-labels/${kind}`).query({ cause }).set('X-Request-Id', id);
    await lineOf(id);
    const told = petstore.log.filter((one) => one.requestId === id && 'stack' in one);
    expect(told).toEqual([expect.objectContaining({ level, context: 'ErrorFilter', msg })]);
  });

  it('has one line for an unavailable dependency, with the reason', async () => {
    await petstore
      .client(key)
      .get('/v1/on-labels/unavailable?cause=no+paper')
      .set('X-Request-Id', 'no-paper');
    expect(await lineOf('no-paper')).toMatchObject({ level: 'warn', status: 503, reason: 'no paper' });
    expect(petstore.log.filter(({ requestId }) => requestId === 'no-paper')).toHaveLength(1);
  });

  it.each(['conflict', 'unavailable'])(
    'has one line for an error of a module without a cause: %s',
    async (kind) => {
      await petstore.client(key).get(`/v1/on-labels/${kind}`).set('X-Request-Id', kind);
      await lineOf(kind);
      expect(petstore.log.filter(({ requestId }) => requestId === kind)).toHaveLength(1);
    },
  );

  it('omits scrapes of metrics', async () => {
    await petstore.client().get('/metrics').set('X-Request-Id', 'probe');
    await petstore.client(key).get('/v1/items').set('X-Request-Id', 'after the probe'.replaceAll(' ', '-'));
    await lineOf('after-the-probe');
    expect(petstore.log.some(({ requestId }) => requestId === 'probe')).toBe(false);
  });
});

describe('the log with LOG_ADDRESSES=off', () => {
  it('has no address of a client, with a key or without', async () => {
    const env = { LOG_ADDRESSES: 'off', CLIENT_CONCURRENCY: '1' };
    const petstore = await Petstore.start({ modules: [ItemsModule], env });
    await petstore
      .client(await petstore.key())
      .get('/v1/items')
      .expect(200);
    await petstore.client().get('/v1/items').expect(401);
    await eventually(() => petstore.log.filter(({ route }) => route === '/v1/items').length === 2);
    await eventually(async () => {
      await Promise.all(Array.from({ length: 8 }, () => petstore.client().get('/openapi.json')));
      return petstore.log.some(({ msg }) => String(msg).includes('CLIENT_CONCURRENCY'));
    });
    expect(JSON.stringify(petstore.log)).not.toMatch(/"address"|127\.0\.0\.1/);
    await petstore.stop();
  });
});
