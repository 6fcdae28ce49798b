import { ItemsModule } from '../items/items.module.js';
import { hasFeature, served } from '../support/features.js';
import {
  DOCUMENTED,
  expectDocumentedPages,
  expectDocumentedRemoval,
  expectDocumentedScope,
  OpenApiDocument,
  type Part,
} from '../support/openapi-document.js';
import { Petstore } from '../support/petstore.js';

let petstore: Petstore;
let document: OpenApiDocument;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule], env: DOCUMENTED });
  document = await OpenApiDocument.of(petstore);
});
afterAll(() => petstore.stop());

/** Operations of every kind. Others need only fulfil the general promises. */
const ALL_OPERATIONS = [
  ['listItems', 'get', '/items', ['200', '304', '400', '401', '403', '406', '429', '500', '503']],
  [
    'createItem',
    'post',
    '/items',
    ['201', '400', '401', '403', '406', '409', '413', '415', '422', '429', '500', '503'],
  ],
  [
    'getItem',
    'get',
    '/items/{itemId}',
    ['200', '304', '400', '401', '403', '404', '406', '410', '429', '500', '503'],
  ],
  ['getRateLimit', 'get', '/rate-limit', ['200', '304', '400', '401', '406', '429', '500', '503']],
  ['listEvents', 'get', '/events', ['200', '304', '400', '401', '403', '406', '410', '429', '500', '503']],
  ['listWebhooks', 'get', '/webhooks', ['200', '304', '400', '401', '403', '406', '429', '500', '503']],
  [
    'createWebhook',
    'post',
    '/webhooks',
    ['201', '400', '401', '403', '406', '409', '413', '415', '429', '500', '503'],
  ],
  [
    'pingWebhook',
    'post',
    '/webhooks/{webhookId}/ping',
    ['202', '400', '401', '403', '404', '406', '409', '422', '429', '500', '503'],
  ],
] as const;
const OPERATIONS = served(ALL_OPERATIONS, ([, , path]) => path);

const needsKey = ({ security = document.root.security }: Part): boolean => security.length > 0;

/** Whether a success has a body. If a handler returns a string, `Accept` is not checked, as in Nest. */
const hasContent = ({ responses }: Part): boolean =>
  Object.entries<Part>(responses).some(
    ([status, { content = {} }]) =>
      Number(status) < 300 && Object.keys(content).some((type) => type !== 'text/html'),
  );

const everyResponse = (): Part[] =>
  document.operations.flatMap(({ operationId, responses }) =>
    Object.entries<Part>(responses).map(([status, response]) => ({
      ...document.resolve(response),
      status,
      where: `${operationId} ${status}`,
    })),
  );

describe('GET /openapi.json', () => {
  it('is OpenAPI 3.1 for version 1.0.0 of the API', () => {
    expect(document.root).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
  });

  it('is served without a key, and so is the same document as YAML', async () => {
    const { text } = await petstore.client().get('/openapi.yaml').expect(200);
    expect(text).toMatch(/^openapi: 3\.1\.0\n/);
  });

  it('includes /v1 in each server address, and in no path', () => {
    expect(document.root.servers).toEqual([
      { url: 'https://petstore.test/v1', description: 'Production' },
      { url: 'https://staging.petstore.test/v1', description: 'Staging' },
    ]);
    const paths = Object.keys(document.root.paths);
    expect(paths).toEqual(expect.arrayContaining(OPERATIONS.map(([, , path]) => path)));
    expect(paths.filter((path) => path.startsWith('/v1'))).toEqual([]);
  });

  it('has every operation secured by an API key as a bearer token', () => {
    const [[scheme]] = document.root.security.map(Object.keys);
    expect(document.root.components.securitySchemes[scheme]).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: expect.any(String),
    });
    for (const { operationId, security = document.root.security } of document.operations.filter(needsKey)) {
      expect({ operationId, schemes: security.map(Object.keys) }).toEqual({
        operationId,
        schemes: [[scheme]],
      });
    }
  });

  describe.each(OPERATIONS)('%s', (id, method, path, statuses) => {
    it(`is ${method} ${path}`, () => {
      expect(document.root.paths[path][method]).toMatchObject({ operationId: id });
    });

    it(`has the responses ${statuses.join(', ')}`, () => {
      expect(Object.keys(document.operation(id).responses)).toEqual(statuses);
    });
  });

  describe('every operation', () => {
    it('has a summary and a description', () => {
      const words = { summary: expect.stringMatching(/\w/), description: expect.stringMatching(/\w/) };
      for (const [id] of OPERATIONS) expect(document.operation(id)).toMatchObject(words);
      for (const { summary } of document.operations) expect(summary).toEqual(words.summary);
    });

    it('has its own models: no two @ApiSchema() share a name', () => {
      const duplicates = petstore.log.filter(({ msg }) => String(msg).startsWith('Duplicate DTO'));
      expect(duplicates.map(({ msg }) => msg)).toEqual([]);
    });

    it('has a unique name', () => {
      const names = document.operations.map(({ operationId }) => operationId);
      expect(names).toEqual([...new Set(names)]);
    });

    it('has a tag with a description, if its feature exists', () => {
      const described = document.root.tags
        .filter((tag: Part) => tag.description)
        .map((tag: Part) => tag.name);
      for (const [id] of OPERATIONS)
        expect({ id, tags: described }).toEqual({
          id,
          tags: expect.arrayContaining(document.operation(id).tags),
        });
    });

    it('documents the errors of the request pipeline', () => {
      for (const one of document.operations) {
        const { operationId, responses } = one;
        const statuses = [
          ...['400', '429', '500', '503'],
          ...(needsKey(one) ? ['401'] : []),
          ...(hasContent(one) ? ['406'] : []),
        ];
        expect({ operationId, statuses: Object.keys(responses) }).toEqual({
          operationId,
          statuses: expect.arrayContaining(statuses),
        });
      }
    });

    it('documents the common headers on each of its responses', () => {
      const integer = expect.objectContaining({
        required: true,
        schema: expect.objectContaining({ type: 'integer' }),
      });
      const text = expect.objectContaining({ required: true, schema: { type: 'string' } });
      for (const { where, headers } of everyResponse()) {
        const { 'X-Request-Id': id, ...others } = headers;
        const limits = ['Limit', 'Remaining', 'Reset'].map((name) =>
          document.resolve(others[`X-RateLimit-${name}`]),
        );
        expect({ where, limits, id: document.resolve(id) }).toEqual({
          where,
          limits: [integer, integer, integer],
          id: text,
        });
      }
    });

    it('shows an example of the body of each of its responses', () => {
      for (const { where, status, content } of everyResponse()) {
        if (Number(status) < 400 && !content?.['application/json']) continue;
        const { schema, example, examples } = content['application/json'];
        if (Number(status) < 400) {
          expect({ where, example }).toEqual({ where, example: expect.anything() });
          continue;
        }
        expect({ where, schema }).toEqual({ where, schema: { $ref: '#/components/schemas/Error' } });
        expect({ where, examples }).not.toEqual({ where, examples: {} });
        for (const [code, { value }] of Object.entries<Part>(examples)) {
          expect({ where, ...value }).toMatchObject({ where, code, status: Number(status) });
          expect(value.message).toMatch(/\w/);
        }
      }
    });

    it('documents Retry-After for 429 and 503, and WWW-Authenticate for 401', () => {
      const names = { 401: 'WWW-Authenticate', 429: 'Retry-After', 503: 'Retry-After' };
      for (const [status, name] of Object.entries(names)) {
        const responses = everyResponse().filter((one) => one.status === status);
        const operations = document.operations.filter((one) => status !== '401' || needsKey(one));
        expect(responses).toHaveLength(operations.length);
        for (const { where, headers } of responses) {
          expect({ where, headers }).toEqual({
            where,
            headers: expect.objectContaining({ [name]: expect.anything() }),
          });
        }
      }
      expect(
        document.resolve(document.response('listItems', '429').headers['Retry-After']).schema,
      ).toMatchObject({ minimum: 1 });
    });
  });

  it.each([
    ['listItems', 'items:read'],
    ['createItem', 'items:write'],
    ['getItem', 'items:read'],
    ['listEvents', 'events:read'],
    ...(hasFeature('webhooks')
      ? [
          ['listWebhooks', 'webhooks:read'],
          ['createWebhook', 'webhooks:write'],
        ]
      : []),
  ])('requires for %s the scope %s, and says so in its 403', (id, scope) => {
    expectDocumentedScope(document, id, scope);
  });

  it.each([
    ['400', 'createItem', ['validation_failed', 'invalid_json']],
    ['400', 'listItems', ['validation_failed', 'invalid_cursor']],
    ['401', 'listItems', ['missing_api_key', 'invalid_api_key']],
    ['403', 'createItem', ['insufficient_scope']],
    ['404', 'getItem', ['item_not_found']],
    ['406', 'listItems', ['not_acceptable']],
    ['409', 'createItem', ['idempotency_in_progress']],
    ['410', 'getItem', ['endpoint_removed']],
    ['413', 'createItem', ['payload_too_large']],
    ['415', 'createItem', ['unsupported_media_type']],
    ['422', 'createItem', ['idempotency_key_reused']],
    ['429', 'listItems', ['rate_limit_exceeded', 'daily_quota_exceeded', 'api_key_banned']],
    ['500', 'listItems', ['internal_error']],
    ['503', 'listItems', ['service_unavailable']],
  ])('lists the codes of %s, such as of %s', (status, id, codes) => {
    expect(Object.keys(document.json(id, status).examples)).toEqual(expect.arrayContaining(codes));
  });

  it('allows an Idempotency-Key for createItem, and documents how to recognise a replayed response', () => {
    const { schema, ...header } = document.parameter('createItem', 'Idempotency-Key');
    expect(header).toMatchObject({
      in: 'header',
      required: false,
      description: expect.stringMatching(/24 hours/),
    });
    expect(schema).toMatchObject({ type: 'string', examples: [expect.any(String)] });
    const pattern = new RegExp(schema.pattern);
    for (const key of ['x', '8e03978e-40d5-43dd-bc93-6894a57f9324', '"a b"']) expect(key).toMatch(pattern);
    for (const key of ['', 'a b', '"', 'x'.repeat(256)]) expect(key).not.toMatch(pattern);
    expect(
      document.resolve(document.response('createItem', '201').headers['Idempotent-Replayed']).required,
    ).toBeFalsy();
    expect(document.response('createItem', '409').headers['Retry-After'].schema).toMatchObject({
      minimum: 1,
    });
  });

  it('documents the pages of a list', () => {
    expectDocumentedPages(document, 'listItems', '/items');
  });

  it('has an Error of code, message and status', () => {
    expect(document.root.components.schemas.Error.required).toEqual(['code', 'message', 'status']);
  });

  it('marks getItem as deprecated until 5 December 2030, and its headers', () => {
    expectDocumentedRemoval(document, 'getItem', 'Get an item');
    expect(OPERATIONS.filter(([id]) => document.operation(id).deprecated === true)).toHaveLength(1);
  });
});
