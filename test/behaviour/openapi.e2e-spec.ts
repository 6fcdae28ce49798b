import { Body, Controller, Module, Post } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ItemsModule } from '../items/items.module.js';
import { lintErrors } from '../support/lint-openapi.js';
import { SNAPSHOT_ENV } from '../support/openapi-snapshot.js';
import { Petstore } from '../support/petstore.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the properties of the document are what is tested
type Part = any;

/** The OpenAPI document of the running service. */
class OpenApiDocument {
  constructor(readonly root: Part) {}

  get operations(): Part[] {
    return Object.values<Part>(this.root.paths).flatMap((item) =>
      Object.values<Part>(item).filter(({ operationId }) => operationId !== undefined),
    );
  }

  operation(id: string): Part {
    return this.operations.find(({ operationId }) => operationId === id);
  }

  response(id: string, status: string): Part {
    return this.resolve(this.operation(id).responses[status]);
  }

  /** What a `$ref` refers to, or the part itself. */
  resolve(part: Part): Part {
    if (part.$ref === undefined) return part;
    const names: string[] = part.$ref.split('/').slice(1);
    return names.reduce((parent: Part, name) => parent[name], this.root);
  }
}

let petstore: Petstore;
let document: OpenApiDocument;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule], env: SNAPSHOT_ENV });
  document = new OpenApiDocument((await petstore.client().get('/openapi.json').expect(200)).body);
});
afterAll(() => petstore.stop());

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
  it('passes the recommended rules of Redocly', async () => {
    expect(await lintErrors(document.root)).toEqual([]);
  });

  describe('every operation', () => {
    it('has a summary and a description', () => {
      const words = { summary: expect.stringMatching(/\w/), description: expect.stringMatching(/\w/) };
      for (const operation of document.operations) expect(operation).toMatchObject(words);
    });

    it('has its own models: no two @ApiSchema() share a name', () => {
      const duplicates = petstore.log.filter(({ msg }) => String(msg).startsWith('Duplicate DTO'));
      expect(duplicates.map(({ msg }) => msg)).toEqual([]);
    });

    it('has a tag with a description, if its feature exists', () => {
      const described = document.root.tags
        .filter((tag: Part) => tag.description)
        .map((tag: Part) => tag.name);
      for (const { tags } of document.operations) expect(described).toEqual(expect.arrayContaining(tags));
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
});
