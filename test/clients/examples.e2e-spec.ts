import type { OpenAPIObject } from '@nestjs/swagger';
import { addSampleData } from '../../src/platform/program/bootstrap/demo/welcome.js';
import { OpenApiDocument } from '../../src/platform/program/openapi/document/openapi-document.js';
import { inlined } from '../support/inlined.js';
import { Petstore } from '../support/petstore.js';
import { bearer, send } from '../support/wire.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: { readonly example?: string | number | readonly number[] };
}

type Content = Record<string, { readonly example?: object; readonly schema?: { readonly $ref?: string } }>;

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<string, { readonly content?: Content }>;
}

/** The resources that the demo data is made for. A module of your own has data of its own, or none. */
const WITH_DEMO_DATA = ['pets', 'categories', 'store', 'events', 'webhooks', 'key', 'usage', 'rate-limit'];

let petstore: Petstore;
let document: OpenAPIObject;
let key: string;
const executed: Record<string, number> = {};

const operations = (): (readonly [method: string, path: string, operation: Operation])[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(
      ([method, operation]) => [method, path, operation] as const,
    ),
  );

/** The examples of all parameters in a query, as Postman sends them. */
function queryOf({ parameters = [] }: Operation): string {
  const query = new URLSearchParams();
  for (const { name, in: place, schema } of parameters)
    if (place === 'query')
      for (const value of ([] as (string | number)[]).concat(schema.example ?? []))
        query.append(name, String(value));
  return `?${String(query)}`;
}

/** Executes an operation with its examples, without optional parameters, as the Swagger UI does. */
async function execute(
  method: string,
  path: string,
  operation: Operation,
  key: string,
  query = '',
): Promise<number> {
  const { parameters = [], requestBody } = operation;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find((parameter) => parameter.name === name)?.schema.example),
  );
  const body = requestBody?.content['application/json']?.example;
  const type = [['Content-Type', 'application/json'] as const];
  const response = await send(petstore, {
    method: method.toUpperCase(),
    path: `/v1${filled}${query}`,
    headers: [bearer(key), ...(body ? type : [])],
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.status;
}

beforeAll(async () => {
  petstore = await Petstore.start();
  await addSampleData(petstore.app);
  document = inlined(petstore.app.get(OpenApiDocument).document);
  key = await petstore.key('enterprise');
  for (const [method, path, operation] of operations())
    executed[operation.operationId] = await execute(method, path, operation, key);
});
afterAll(() => petstore.stop());

const hasDemoData = (path: string): boolean => WITH_DEMO_DATA.includes(path.split('/')[1] ?? '');

describe('the examples of the document, executed in its order on the demo data', () => {
  it('of optional parameters too are valid, all of them at once', async () => {
    const lists = operations().filter(
      ([, path, { parameters = [] }]) =>
        hasDemoData(path) &&
        !path.includes('{webhookId}') &&
        parameters.some(({ name }) => name === 'cursor'),
    );
    expect(lists.length).toBeGreaterThan(5);
    for (const [method, path, operation] of lists)
      expect([path, await execute(method, path, operation, key, queryOf(operation))]).toEqual([path, 200]);
  });

  it('succeed, unless their operation says what must be done before', () => {
    const failed = operations().filter(
      ([, path, { operationId }]) => hasDemoData(path) && (executed[operationId] ?? 500) >= 400,
    );
    for (const [, path, { operationId, parameters }] of failed) {
      const [first] = parameters ?? [];
      const says = operationId === 'createWebhook' ? urlDescription() : first?.description;
      expect([path, says]).toEqual([path, expect.stringMatching(/Create a webhook first|your own address/)]);
    }
    const succeeded = Object.values(executed).filter((status) => status < 400);
    expect(succeeded.length).toBeGreaterThanOrEqual(20);
  });

  it('succeed a second time too, unless they say how to go on', async () => {
    const { schemas = {} } = document.components ?? {};
    for (const [method, path, operation] of operations()) {
      if (!hasDemoData(path) || (executed[operation.operationId] ?? 500) >= 400) continue;
      if ((await execute(method, path, operation, key)) < 400) continue;
      const { schema } = operation.requestBody?.content['application/json'] ?? {};
      const says = JSON.stringify([operation.parameters, schemas[schema?.$ref?.split('/').at(-1) ?? '']]);
      expect([method, path, says]).toEqual([method, path, expect.stringContaining('To try it again, ')]);
    }
  });

  it('are of the media type, where tools look for them', () => {
    for (const [, , { operationId, requestBody, responses }] of operations()) {
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      for (const content of [requestBody?.content, success?.content])
        for (const [type, media] of Object.entries(content ?? {}).filter(([type]) => type.endsWith('json')))
          // a file has none
          expect([operationId, type, media.example]).toEqual([operationId, type, expect.anything()]);
    }
  });

  it('do not contradict themselves: a new webhook is enabled', () => {
    const [, , create] = operations().find(([, , { operationId }]) => operationId === 'createWebhook') ?? [];
    expect(create?.responses['201']?.content?.['application/json']?.example).toMatchObject({
      state: 'enabled',
    });
    expect(create?.responses['201']?.content?.['application/json']?.example).not.toHaveProperty(
      'disabledReason',
    );
  });

  it('have an Idempotency-Key of their own in each operation', () => {
    const keys = operations().flatMap(([, , { parameters = [] }]) =>
      parameters.filter(({ name }) => name === 'Idempotency-Key').map(({ schema }) => schema.example),
    );
    expect(keys.length).toBeGreaterThan(3);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const urlDescription = (): string | undefined => {
  const { NewWebhook } = document.components?.schemas ?? {};
  const { properties = {} } = NewWebhook as { properties?: Record<string, { description?: string }> };
  return properties.url?.description;
};
