import { Body, Controller, Module, Post } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ItemsModule } from '../items/items.module.js';
import { lintErrors } from '../support/lint-openapi.js';
import { SNAPSHOT_ENV } from '../support/openapi-snapshot.js';
import { type PatchDocument, patchesWithDefaults } from '../support/patch-defaults.js';
import { Petstore } from '../support/petstore.js';

let petstore: Petstore;

beforeAll(async () => {
  petstore = await Petstore.start({ modules: [ItemsModule], env: SNAPSHOT_ENV });
});
afterAll(() => petstore.stop());

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

interface Described {
  readonly components: {
    readonly schemas: Record<string, { readonly properties?: Record<string, { readonly enum?: unknown }> }>;
  };
  readonly paths: Record<
    string,
    {
      readonly get?: {
        readonly responses: Record<string, { readonly headers?: { readonly Link?: object } }>;
      };
    }
  >;
}

describe('a document that cannot be generated', () => {
  it('stops the start, and the error names the class', async () => {
    const start = Petstore.start({ modules: [UndescribedModule] }).then(() => 'started');
    await expect(start).rejects.toThrow(/The OpenAPI document cannot be generated: \[UndescribedDto\]/);
  });
});

describe('GET /openapi.json', () => {
  it('passes the recommended rules of Redocly', async () => {
    const { body } = await petstore.client().get('/openapi.json').expect(200);
    expect(await lintErrors(body as object)).toEqual([]);
  });

  it('has no pattern with an escaped slash, which generators escape a second time', async () => {
    const { text } = await petstore.client().get('/openapi.json').expect(200);
    const patterns: string[] = [];
    JSON.parse(text, (name, value: unknown) => {
      if (name === 'pattern' && typeof value === 'string') patterns.push(value);
      return value;
    });
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => pattern.includes('\\/'))).toEqual([]);
  });

  it('has no default in the body of a PATCH, which generators of schemas would send', async () => {
    const { body } = await petstore.client().get('/openapi.json').expect(200);
    expect(patchesWithDefaults(body as PatchDocument)).toEqual([]);
  });

  it('names each enumeration of its schemas, and the headers of a page in its 304 too', async () => {
    const { body } = await petstore.client().get('/openapi.json').expect(200);
    const { components, paths } = body as Described;
    for (const { properties = {} } of Object.values(components.schemas))
      for (const [name, { enum: values }] of Object.entries(properties))
        expect([name, values]).toEqual([name, undefined]);
    const pages = Object.values(paths).flatMap(({ get }) =>
      get?.responses['200']?.headers?.Link ? [get] : [],
    );
    expect(pages.length).toBeGreaterThan(1);
    for (const { responses } of pages) expect(responses['304']?.headers).toHaveProperty('Link');
  });

  it('has a model for each DTO: no two @ApiSchema() share a name', () => {
    const duplicates = petstore.log.filter(({ msg }) => String(msg).startsWith('Duplicate DTO'));
    expect(duplicates.map(({ msg }) => msg)).toEqual([]);
  });
});
