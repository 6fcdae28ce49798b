import type { Petstore } from './petstore.js';

/* eslint-disable @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call,
   @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-explicit-any
   -- the properties of the document are what is tested */

export type Part = any;

/** All possible methods. */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The environment of a service whose document has the addresses that tests expect. */
export const DOCUMENTED = {
  PUBLIC_URL: 'https://petstore.test',
  STAGING_PUBLIC_URL: 'https://staging.petstore.test',
};

/** The OpenAPI document of a running service. */
export class OpenApiDocument {
  private constructor(readonly root: Part) {}

  static async of(petstore: Petstore): Promise<OpenApiDocument> {
    return new OpenApiDocument((await petstore.client().get('/openapi.json').expect(200)).body);
  }

  /** Every operation. A path of another version has `servers` beside its operations. */
  get operations(): Part[] {
    return Object.values<Part>(this.root.paths).flatMap((item) =>
      METHODS.flatMap((method) => (item[method] ? [item[method]] : [])),
    );
  }

  operation(id: string): Part {
    return this.operations.find(({ operationId }) => operationId === id);
  }

  response(id: string, status: string): Part {
    return this.resolve(this.operation(id).responses[status]);
  }

  /** The JSON of a response. */
  json(id: string, status: string): Part {
    return this.response(id, status).content['application/json'];
  }

  parameter(id: string, name: string): Part {
    return this.operation(id).parameters.find((candidate: { name: string }) => candidate.name === name);
  }

  /** What a `$ref` refers to, or the part itself. */
  resolve(part: Part): Part {
    if (part.$ref === undefined) return part;
    const names: string[] = part.$ref.split('/').slice(1);
    return names.reduce((parent: Part, name) => parent[name], this.root);
  }
}

/** Pages of 1 to 100, by default 20, as a bare array with a link to the next page. */
export function expectDocumentedPages(document: OpenApiDocument, id: string): void {
  expect(document.parameter(id, 'limit')).toMatchObject({
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  });
  expect(document.parameter(id, 'cursor')).toMatchObject({ required: false, schema: { type: 'string' } });
  expect(document.resolve(document.json(id, '200').schema).type).toBe('array');
  expect(document.response(id, '200').headers).toMatchObject({ Link: { schema: { type: 'string' } } });
}

/** A required scope, also in the description and in the 403. */
export function expectDocumentedScope(document: OpenApiDocument, id: string, scope: string): void {
  expect(document.operation(id)).toMatchObject({
    security: [{ apiKey: expect.arrayContaining([scope]) as unknown }],
    description: expect.stringContaining(`\`${scope}\``) as unknown,
  });
  const { headers, content } = document.response(id, '403');
  expect(document.resolve(headers['WWW-Authenticate'])).toMatchObject({ required: true });
  expect(content['application/json'].examples.insufficient_scope.value.message).toContain(scope);
}

/** The deprecation until 5 December 2030, and its headers. */
export function expectDocumentedRemoval(document: OpenApiDocument, id: string, summary: string): void {
  expect(document.operation(id)).toMatchObject({
    deprecated: true,
    'x-deprecated-sunset': '2030-12-05',
    summary: `${summary} (until 2030-12-05)`,
  });
  for (const status of ['200', '404', '410']) {
    expect(document.response(id, status).headers).toMatchObject({ Deprecation: {}, Sunset: {}, Link: {} });
  }
}
