import { EventEmitter, once } from 'node:events';
import { Controller, Get, ImATeapotException, Module, Post } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../../src/platform/access/keys/api-keys.service.js';
import { makeSecret } from '../../../src/platform/access/keys/secret.js';
import { Changes } from '../../../src/platform/writes/unit-of-work/changes.js';
import { UnitOfWork } from '../../../src/platform/writes/unit-of-work/unit-of-work.decorator.js';
import { Idempotent } from '../../../src/platform/writes/idempotency/idempotent.decorator.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { ItemsModule } from '../../items/items.module.js';
import { Petstore } from '../../support/petstore.js';
import { expectErrorBody, expectPromisedHeaders } from '../../support/promises.js';
import { bearer, type Message, send, valuesOf } from '../../support/wire.js';
import { AnyKey } from '../../../src/platform/index.js';

/** Signals to and from the slow handler. */
const slow = new EventEmitter();

/** Errors that the service itself does not produce. */
@AnyKey()
@Controller({ path: 'broken', version: '1' })
class BrokenController {
  constructor(private readonly database: DataSource) {}

  @Get('throw')
  throwError(): never {
    throw new TypeError(`Cannot read ${import.meta.filename}`);
  }

  @Get('text')
  throwText(): never {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- some libraries do
    throw 'SELECT * FROM secrets';
  }

  @Get('sql')
  askWrongly(): Promise<unknown> {
    return this.database.query('SELECT * FROM no_such_table');
  }

  @Get('nest')
  throwNest(): never {
    throw new ImATeapotException('I brew tea only');
  }

  @Post('slow')
  @Idempotent()
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- @Idempotent() requires it
  async respondLate(@UnitOfWork() _changes: Changes): Promise<object> {
    slow.emit('begun');
    await once(slow, 'end');
    return {};
  }

  @Get('circular')
  respondCircular(): object {
    const circular: { self?: object } = {};
    circular.self = circular;
    return circular;
  }
}

@Module({ controllers: [BrokenController] })
class BrokenModule {}

interface Case extends Message {
  readonly status: number;
  readonly code?: string;
  /** The key to send; default: a valid one. */
  readonly as?: 'anonymous' | 'an unknown key' | keyof typeof others;
  /** The state required during the request. */
  readonly when?: 'the database is away' | 'the sunset has come' | 'the same is running';
}

const JSON_TYPE = [['Content-Type', 'application/json']] as const;
const post = (body: string): Message => ({ method: 'POST', headers: JSON_TYPE, body });
const NEW_ITEM = post('{"name":"Rex","amount":1}');

/** Every status the service can return under `/v1`. Add new routes and new kinds of refusals here. */
const CASES: Record<string, Case> = {
  'GET /v1/items': { path: '/v1/items', status: 200 },
  'HEAD /v1/items': { method: 'HEAD', path: '/v1/items', status: 200 },
  'OPTIONS /v1/items': { method: 'OPTIONS', path: '/v1/items', status: 204 },
  'OPTIONS without a key': { method: 'OPTIONS', as: 'anonymous', status: 204 },
  'GET /v1/items/{itemId}': { path: '/v1/items/1', status: 200 },
  'GET /v1/events': { path: '/v1/events', status: 200 },
  'GET /v1/rate-limit': { path: '/v1/rate-limit', status: 200 },
  'POST /v1/items': { ...NEW_ITEM, status: 201 },

  'an invalid parameter': { path: '/v1/items?limit=0', status: 400, code: 'validation_failed' },
  'an unknown parameter': { path: '/v1/items?colour=red', status: 400, code: 'validation_failed' },
  'a bad cursor': { path: '/v1/items?cursor=x', status: 400, code: 'invalid_cursor' },
  'a bad cursor of events': { path: '/v1/events?cursor=x', status: 400, code: 'invalid_cursor' },
  'an invalid body': { ...post('{"name":""}'), status: 400, code: 'validation_failed' },
  'a body that is not an object': { ...post('[]'), status: 400, code: 'validation_failed' },
  'no body': { method: 'POST', status: 400, code: 'validation_failed' },
  'malformed JSON': { ...post('{'), status: 400, code: 'invalid_json' },
  'a body that is not UTF-8': {
    ...NEW_ITEM,
    body: Buffer.from([0x22, 0xff, 0x22]),
    status: 400,
    code: 'invalid_json',
  },
  'bad percent-encoding': { path: '/v1/items/%zz', status: 400, code: 'validation_failed' },
  'bad percent-encoding in the first segment': { path: '/v1/%', status: 400, code: 'validation_failed' },

  'no key': { as: 'anonymous', status: 401, code: 'missing_api_key' },
  'no key and bad percent-encoding': { as: 'anonymous', path: '/v1/%', status: 401, code: 'missing_api_key' },
  'no key and malformed JSON': { ...post('{'), as: 'anonymous', status: 401, code: 'missing_api_key' },
  'an unknown key': { as: 'an unknown key', status: 401, code: 'invalid_api_key' },

  'a scope that the key lacks': {
    ...NEW_ITEM,
    as: 'a reading key',
    status: 403,
    code: 'insufficient_scope',
  },

  'an id that no item has': { path: '/v1/items/999', status: 404, code: 'item_not_found' },
  'an id that is not a number': { path: '/v1/items/rex', status: 404, code: 'item_not_found' },
  'an unknown path': { path: '/v1/nope', status: 404, code: 'route_not_found' },
  'the bare version': { path: '/v1', status: 404, code: 'route_not_found' },
  'HEAD of an unknown path': { method: 'HEAD', path: '/v1/nope', status: 404 },

  'a wrong method': { method: 'DELETE', status: 405, code: 'method_not_allowed' },
  'a body that is too large': { ...post(' '.repeat(102_401)), status: 413, code: 'payload_too_large' },
  'a body of another type': {
    ...post('x'),
    headers: [['Content-Type', 'text/plain']],
    status: 415,
    code: 'unsupported_media_type',
  },
  'a body with an unknown Content-Encoding': {
    ...NEW_ITEM,
    headers: [...JSON_TYPE, ['Content-Encoding', 'compress']],
    status: 415,
    code: 'unsupported_media_type',
  },

  'an invalid Idempotency-Key': {
    ...NEW_ITEM,
    headers: [...JSON_TYPE, ['Idempotency-Key', '"']],
    status: 400,
    code: 'validation_failed',
  },
  'an Idempotency-Key of another request': {
    ...NEW_ITEM,
    headers: [...JSON_TYPE, ['Idempotency-Key', 'used']],
    status: 422,
    code: 'idempotency_key_reused',
  },
  'a creation with an Idempotency-Key while the database is unavailable': {
    ...NEW_ITEM,
    headers: [...JSON_TYPE, ['Idempotency-Key', 'unused']],
    when: 'the database is away',
    status: 503,
    code: 'service_unavailable',
  },
  'a repeat while the first is running': {
    method: 'POST',
    path: '/v1/broken/slow',
    headers: [['Idempotency-Key', 'running']],
    when: 'the same is running',
    status: 409,
    code: 'idempotency_in_progress',
  },

  'an exhausted quota of a minute': { as: 'an exhausted minute', status: 429, code: 'rate_limit_exceeded' },
  'an exhausted quota of a minute, at an unknown path': {
    as: 'an exhausted minute',
    path: '/v1/nope',
    status: 429,
    code: 'rate_limit_exceeded',
  },
  'an exhausted quota of a day': { as: 'an exhausted day', status: 429, code: 'daily_quota_exceeded' },

  'an unexpected error': { path: '/v1/broken/throw', status: 500, code: 'internal_error' },
  'a thrown text': { path: '/v1/broken/text', status: 500, code: 'internal_error' },
  'wrong SQL': { path: '/v1/broken/sql', status: 500, code: 'internal_error' },
  'an exception of the framework': { path: '/v1/broken/nest', status: 418, code: 'im_a_teapot' },
  'a response that is not JSON': { path: '/v1/broken/circular', status: 500, code: 'internal_error' },

  'a list while the database is unavailable': {
    when: 'the database is away',
    status: 503,
    code: 'service_unavailable',
  },
  'a creation while the database is unavailable': {
    ...NEW_ITEM,
    when: 'the database is away',
    status: 503,
    code: 'service_unavailable',
  },
  'an unknown key while the database is unavailable': {
    as: 'an unknown key',
    when: 'the database is away',
    status: 503,
    code: 'service_unavailable',
  },

  'an endpoint that was removed': {
    path: '/v1/items/1',
    when: 'the sunset has come',
    status: 410,
    code: 'endpoint_removed',
  },
};

let petstore: Petstore;
let proxy: TcpProxy;
let key: string;
const others = { 'an exhausted minute': '', 'an exhausted day': '', 'a reading key': '' };

beforeAll(async () => {
  petstore = await Petstore.start({
    modules: [ItemsModule, BrokenModule],
    through: async (url) => (proxy = await TcpProxy.to(url)),
  });
  await petstore.query(`INSERT INTO items (name, amount, status) VALUES ('Rex', 1, 'open')`);
  key = await petstore.key();
  others['an exhausted minute'] = await petstore.key('enterprise', { perMinute: 1, perDay: 10 });
  others['an exhausted day'] = await petstore.key('enterprise', { perMinute: 10, perDay: 1 });
  const reading = { name: 'reading', plan: 'free', scopes: ['items:read'] } as const;
  others['a reading key'] = (await petstore.app.get(ApiKeysService).create(reading)).secret;
  for (const used of [key, ...Object.values(others)]) await send(petstore, { headers: [bearer(used)] });
  const other = post('{"name":"Bella","amount":1}');
  await send(petstore, { ...other, headers: [bearer(key), ...JSON_TYPE, ['Idempotency-Key', 'used']] });
});
afterAll(async () => {
  await petstore.stop();
  proxy.remove();
});

function authorization({ as }: Case): NonNullable<Message['headers']> {
  if (as === 'anonymous') return [];
  if (as === 'an unknown key') return [bearer(makeSecret())];
  return [bearer(as === undefined ? key : others[as])];
}

const sendCase = (message: Case) =>
  send(petstore, { ...message, headers: [...authorization(message), ...(message.headers ?? [])] });

async function responseTo(message: Case) {
  if (message.when === 'the sunset has come') petstore.clock.set(Date.UTC(2030, 11, 5));
  if (message.when === 'the database is away') proxy.cut();
  if (message.when === 'the same is running') await begin(message);
  try {
    return await sendCase(message);
  } finally {
    proxy.mend();
    slow.emit('end');
  }
}

/** Sends a request and waits until its handler is running. */
async function begin(message: Case): Promise<void> {
  const begun = once(slow, 'begun');
  void sendCase(message);
  await begun;
}

describe.each(Object.entries(CASES))('%s', (_, message) => {
  it(`gets ${message.status} and the headers of every response`, async () => {
    const response = await responseTo(message);
    expect(response.status).toBe(message.status);
    expectPromisedHeaders(response);
    if (message.code !== undefined) expectErrorBody(response, message.status, message.code);
    const waits = [409, 429, 503].includes(message.status);
    expect(valuesOf(response, 'Retry-After')).toEqual(waits ? [expect.stringMatching(/^[1-9]\d*$/)] : []);
  });
});
