import { served } from '../support/features.js';
import { Petstore } from '../support/petstore.js';

/** A part of the document. Its properties are what is tested. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Part = any;

let petstore: Petstore;
let document: Part;

beforeAll(async () => {
  petstore = await Petstore.start({
    env: { PUBLIC_URL: 'https://petstore.test', STAGING_PUBLIC_URL: 'https://staging.petstore.test' },
  });
  document = (await petstore.client().get('/openapi.json').expect(200)).body;
});
afterAll(() => petstore.stop());

/** The operations of the contract. Modules added later need only fulfil the general promises. */
const ALL_OPERATIONS = [
  ['listPets', 'get', '/pets', ['200', '304', '400', '401', '403', '406', '429', '500', '503']],
  [
    'createPet',
    'post',
    '/pets',
    ['201', '400', '401', '403', '406', '409', '413', '415', '422', '429', '500', '503'],
  ],
  [
    'getPet',
    'get',
    '/pets/{petId}',
    ['200', '304', '400', '401', '403', '404', '406', '410', '429', '500', '503'],
  ],
  ['getRateLimit', 'get', '/rate-limit', ['200', '304', '400', '401', '406', '429', '500', '503']],
  ['listOrders', 'get', '/store/orders', ['200', '304', '400', '401', '403', '406', '429', '500', '503']],
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
const isServed = ([id]: readonly string[]) => OPERATIONS.some(([name]) => name === id);

const operation = (id: string): Part => {
  const [, method, path] = OPERATIONS.find(([name]) => name === id) ?? [];
  return document.paths[path ?? ''][method ?? ''];
};

const resolve = (part: Part): Part =>
  part.$ref === undefined
    ? part
    : part.$ref
        .split('/')
        .slice(1)
        .reduce((parent: Part, name: string) => parent[name], document);

/** All possible methods. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A path of another version also has `servers`. */
const everyOperation = (): Part[] =>
  Object.values<Part>(document.paths).flatMap((item) =>
    METHODS.flatMap((method) => (item[method] ? [item[method]] : [])),
  );

const needsKey = ({ security = document.security }: Part): boolean => security.length > 0;

/** Whether a success has a body. If a handler returns a string, `Accept` is not checked, as in Nest. */
const hasContent = ({ responses }: Part): boolean =>
  Object.entries<Part>(responses).some(
    ([status, { content = {} }]) =>
      Number(status) < 300 && Object.keys(content).some((type) => type !== 'text/html'),
  );

const everyResponse = (): Part[] =>
  everyOperation().flatMap(({ operationId, responses }) =>
    Object.entries<Part>(responses).map(([status, response]) => ({
      ...resolve(response),
      status,
      where: `${operationId} ${status}`,
    })),
  );

const response = (id: string, status: string): Part => resolve(operation(id).responses[status]);
const json = (part: Part): Part => part.content['application/json'];
const parameter = (id: string, name: string) =>
  operation(id).parameters.find((candidate: { name: string }) => candidate.name === name);

describe('GET /openapi.json', () => {
  it('is OpenAPI 3.1 for version 1.0.0 of the API', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
  });

  it('is served without a key, and so is the same document as YAML', async () => {
    const { text } = await petstore.client().get('/openapi.yaml').expect(200);
    expect(text).toMatch(/^openapi: 3\.1\.0\n/);
  });

  it('includes /v1 in each server address, and in no path', () => {
    expect(document.servers).toEqual([
      { url: 'https://petstore.test/v1', description: 'Production' },
      { url: 'https://staging.petstore.test/v1', description: 'Staging' },
    ]);
    const paths = Object.keys(document.paths);
    expect(paths).toEqual(expect.arrayContaining(OPERATIONS.map(([, , path]) => path)));
    expect(paths.filter((path) => path.startsWith('/v1'))).toEqual([]);
  });

  it('has every operation secured by an API key as a bearer token', () => {
    const [[scheme]] = document.security.map(Object.keys);
    expect(document.components.securitySchemes[scheme]).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: expect.any(String),
    });
    for (const { operationId, security = document.security } of everyOperation().filter(needsKey)) {
      expect({ operationId, schemes: security.map(Object.keys) }).toEqual({
        operationId,
        schemes: [[scheme]],
      });
    }
  });

  describe.each(OPERATIONS)('%s', (id, method, path, statuses) => {
    it(`is ${method} ${path}`, () => {
      expect(document.paths[path][method]).toMatchObject({ operationId: id });
    });

    it(`has the responses ${statuses.join(', ')}`, () => {
      expect(Object.keys(operation(id).responses)).toEqual(statuses);
    });
  });

  describe('every operation', () => {
    it('has a summary and a description', () => {
      const words = { summary: expect.stringMatching(/\w/), description: expect.stringMatching(/\w/) };
      for (const [id] of OPERATIONS) expect(operation(id)).toMatchObject(words);
      for (const { summary } of everyOperation()) expect(summary).toEqual(words.summary);
    });

    it('has its own models: no two @ApiSchema() share a name', () => {
      const duplicates = petstore.log.filter(({ msg }) => String(msg).startsWith('Duplicate DTO'));
      expect(duplicates.map(({ msg }) => msg)).toEqual([]);
    });

    it('has a unique name', () => {
      const names = everyOperation().map(({ operationId }) => operationId);
      expect(names).toEqual([...new Set(names)]);
    });

    it('has a tag with a description, if its feature exists', () => {
      const described = document.tags.filter((tag: Part) => tag.description).map((tag: Part) => tag.name);
      for (const [id] of OPERATIONS)
        expect({ id, tags: described }).toEqual({ id, tags: expect.arrayContaining(operation(id).tags) });
    });

    it('documents the errors of the request pipeline', () => {
      for (const one of everyOperation()) {
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
        const limits = ['Limit', 'Remaining', 'Reset'].map((name) => resolve(others[`X-RateLimit-${name}`]));
        expect({ where, limits, id: resolve(id) }).toEqual({
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
        const operations = everyOperation().filter((one) => status !== '401' || needsKey(one));
        expect(responses).toHaveLength(operations.length);
        for (const { where, headers } of responses) {
          expect({ where, headers }).toEqual({
            where,
            headers: expect.objectContaining({ [name]: expect.anything() }),
          });
        }
      }
      expect(resolve(response('listPets', '429').headers['Retry-After']).schema).toMatchObject({
        minimum: 1,
      });
    });
  });

  it.each(
    [
      ['listPets', 'pets:read'],
      ['createPet', 'pets:write'],
      ['getPet', 'pets:read'],
      ['listOrders', 'orders:read'],
      ['listEvents', 'events:read'],
      ['listWebhooks', 'webhooks:read'],
      ['createWebhook', 'webhooks:write'],
    ].filter(isServed),
  )('requires for %s the scope %s, and says so in its 403', (id, scope) => {
    expect(operation(id)).toMatchObject({
      security: [{ apiKey: expect.arrayContaining([scope]) }],
      description: expect.stringContaining(`\`${scope}\``),
    });
    const { headers, content } = response(id, '403');
    expect(resolve(headers['WWW-Authenticate'])).toMatchObject({ required: true });
    expect(content['application/json'].examples.insufficient_scope.value.message).toContain(scope);
  });

  it.each([
    ['400', 'createPet', ['validation_failed', 'invalid_json']],
    ['400', 'listPets', ['validation_failed', 'invalid_cursor']],
    ['401', 'listPets', ['missing_api_key', 'invalid_api_key']],
    ['403', 'createPet', ['insufficient_scope']],
    ['404', 'getPet', ['pet_not_found']],
    ['406', 'listPets', ['not_acceptable']],
    ['409', 'createPet', ['idempotency_in_progress']],
    ['410', 'getPet', ['endpoint_removed']],
    ['413', 'createPet', ['payload_too_large']],
    ['415', 'createPet', ['unsupported_media_type']],
    ['422', 'createPet', ['idempotency_key_reused']],
    ['429', 'listPets', ['rate_limit_exceeded', 'daily_quota_exceeded', 'api_key_banned']],
    ['500', 'listPets', ['internal_error']],
    ['503', 'listPets', ['service_unavailable']],
  ])('lists the codes of %s, such as of %s', (status, id, codes) => {
    expect(Object.keys(json(response(id, status)).examples)).toEqual(expect.arrayContaining(codes));
  });

  it.each([
    ['Pet', ['id', 'categoryId']],
    ['NewPet', ['categoryId']],
    ['Order', ['id', 'petId']],
  ])('has %s with the 64-bit integers %s', (name, fields) => {
    for (const field of fields) {
      expect(document.components.schemas[name].properties[field]).toMatchObject({
        type: 'integer',
        format: 'int64',
      });
    }
  });

  it('has petId as a 64-bit integer', () => {
    expect(parameter('getPet', 'petId')).toMatchObject({
      in: 'path',
      required: true,
      schema: { type: 'integer', format: 'int64' },
    });
  });

  it('allows an Idempotency-Key for createPet, and documents how to recognise a replayed response', () => {
    const { schema, ...header } = parameter('createPet', 'Idempotency-Key');
    expect(header).toMatchObject({
      in: 'header',
      required: false,
      description: expect.stringMatching(/24 hours/),
    });
    expect(schema).toMatchObject({ type: 'string', examples: [expect.any(String)] });
    const pattern = new RegExp(schema.pattern);
    for (const key of ['x', '8e03978e-40d5-43dd-bc93-6894a57f9324', '"a b"']) expect(key).toMatch(pattern);
    for (const key of ['', 'a b', '"', 'x'.repeat(256)]) expect(key).not.toMatch(pattern);
    expect(resolve(response('createPet', '201').headers['Idempotent-Replayed']).required).toBeFalsy();
    expect(response('createPet', '409').headers['Retry-After'].schema).toMatchObject({ minimum: 1 });
  });

  it.each(['listPets', 'listOrders'])('limits the pages of %s: 1 to 100, default 20', (id) => {
    expect(parameter(id, 'limit')).toMatchObject({
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    });
    expect(parameter(id, 'cursor')).toMatchObject({ required: false, schema: { type: 'string' } });
  });

  it.each(['listPets', 'listOrders'])(
    'documents the bare array of %s and the link to its next page',
    (id) => {
      const { example, schema } = json(response(id, '200'));
      expect(schema.type).toBe('array');
      expect(example).toEqual([expect.objectContaining({ id: expect.any(Number) })]);
      const path = id === 'listPets' ? '/pets' : '/store/orders';
      expect(response(id, '200').headers.Link.example).toMatch(
        new RegExp(`^<https://petstore.test/v1${path}\\?limit=20&cursor=[\\w-]{22}>; rel="next"$`),
      );
    },
  );

  it('enumerates the status of a pet, also as a filter', () => {
    const status = { $ref: '#/components/schemas/PetStatus' };
    expect(document.components.schemas.PetStatus.enum).toEqual(['available', 'pending', 'sold']);
    expect(parameter('listPets', 'status').schema).toEqual(status);
    expect(document.components.schemas.Pet.properties.status).toMatchObject(status);
  });

  it('has a NewPet with an optional status and no additional properties', () => {
    const { schema, example } = json(operation('createPet').requestBody);
    expect(resolve(schema)).toMatchObject({
      required: ['name', 'categoryId'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 200 },
        status: { $ref: '#/components/schemas/PetStatus', default: 'available' },
      },
    });
    expect(operation('createPet').requestBody.required).toBe(true);
    expect(example).toEqual({ name: 'Rex', categoryId: 7, status: 'available' });
  });

  it('has an Error of code, message and status', () => {
    expect(document.components.schemas.Error.required).toEqual(['code', 'message', 'status']);
  });

  it('marks getPet as deprecated until 5 December 2030, and its headers', () => {
    expect(operation('getPet')).toMatchObject({
      deprecated: true,
      'x-deprecated-sunset': '2030-12-05',
      summary: 'Get a pet (until 2030-12-05)',
    });
    for (const status of ['200', '404', '410']) {
      expect(response('getPet', status).headers).toMatchObject({
        Deprecation: {},
        Sunset: {},
        Link: {},
      });
    }
    expect(OPERATIONS.filter(([id]) => operation(id).deprecated === true)).toHaveLength(1);
  });

  it('marks orders as experimental, without a panel to try them', () => {
    expect(operation('listOrders')).toMatchObject({
      'x-stability': 'experimental',
      'x-hideTryItPanel': true,
      summary: 'List orders (experimental)',
    });
    expect(OPERATIONS.filter(([id]) => operation(id)['x-hideTryItPanel'] === true)).toHaveLength(1);
    expect(OPERATIONS.filter(([id]) => operation(id)['x-stability'] !== undefined)).toHaveLength(1);
  });
});
