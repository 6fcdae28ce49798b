import { Body, Controller, Module, Post } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ItemsModule } from '../items/items.module.js';
import { hasFeature, served } from '../support/features.js';
import {
  DOCUMENTED,
  expectDocumentedRemoval,
  expectDocumentedScope,
  OpenApiDocument,
  type Part,
} from '../support/openapi-document.js';
import { lintErrors } from '../support/lint-openapi.js';
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
  ['listItems', 'get', '/items', ['200', '304', '400', '401', '403', '429', '500', '503']],
  [
    'createItem',
    'post',
    '/items',
    ['201', '400', '401', '403', '409', '413', '415', '422', '429', '500', '503'],
  ],
  [
    'getItem',
    'get',
    '/items/{itemId}',
    ['200', '304', '400', '401', '403', '404', '410', '429', '500', '503'],
  ],
  ['getRateLimit', 'get', '/rate-limit', ['200', '304', '400', '401', '429', '500', '503']],
  ['listEvents', 'get', '/events', ['200', '304', '400', '401', '403', '410', '429', '500', '503']],
  ['listWebhooks', 'get', '/webhooks', ['200', '304', '400', '401', '403', '429', '500', '503']],
  [
    'createWebhook',
    'post',
    '/webhooks',
    ['201', '400', '401', '403', '409', '413', '415', '429', '500', '503'],
  ],
  [
    'pingWebhook',
    'post',
    '/webhooks/{webhookId}/ping',
    ['202', '400', '401', '403', '404', '409', '422', '429', '500', '503'],
  ],
] as const;
const OPERATIONS = served(ALL_OPERATIONS, ([, , path]) => path);

const needsKey = ({ security = document.root.security }: Part): boolean => security.length > 0;

const everyResponse = (): Part[] =>
  document.operations.flatMap(({ operationId, responses }) =>
    Object.entries<Part>(responses).map(([status, response]) => ({
      ...document.resolve(response),
      status,
      where: `${operationId} ${status}`,
    })),
  );

class UndescribedDto {
  @ApiProperty({ type: () => undefined as unknown as string }) // as in a cycle of imports
  readonly size!: string;
}

@Controller({ path: 'undescribed', version: '1' })
class UndescribedController {
  @Post()
  create(@Body() body: UndescribedDto): object {
    return body;
  }
}

@Module({ controllers: [UndescribedController] })
class UndescribedModule {}

describe('a document that cannot be generated', () => {
  it('stops the start, and the error names the class', async () => {
    const start = Petstore.start({ modules: [UndescribedModule] }).then(() => 'started');
    await expect(start).rejects.toThrow(/The OpenAPI document cannot be generated: \[UndescribedDto\]/);
  });
});

describe('GET /openapi.json', () => {
  it('is OpenAPI 3.1 for version 1.0.0 of the API', () => {
    expect(document.root).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
  });

  it('passes the recommended rules of Redocly', async () => {
    expect(await lintErrors(document.root)).toEqual([]);
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
        const statuses = [...['400', '429', '500', '503'], ...(needsKey(one) ? ['401'] : [])];
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

    it('shows an Error of each code in its error responses', () => {
      for (const { where, status, content } of everyResponse()) {
        if (Number(status) < 400) continue;
        const { schema, examples } = content['application/json'];
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

  it('marks getItem as deprecated until 5 December 2030, and its headers', () => {
    expectDocumentedRemoval(document, 'getItem', 'Get an item');
    expect(OPERATIONS.filter(([id]) => document.operation(id).deprecated === true)).toHaveLength(1);
  });
});
