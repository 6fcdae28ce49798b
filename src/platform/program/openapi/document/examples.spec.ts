import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import fc, { type Arbitrary } from 'fast-check';
import { uiDocument } from '../swagger-ui/ui-document.js';
import { exampleOf } from './examples.js';
import {
  refuseUnknownProperties,
  type SchemaOrReference,
  type SchemasObject,
  withoutSingleAllOf,
} from './schemas.js';

const NAMES = ['A', 'B', 'C', 'D'];

/** Any schema that the decorators of `@nestjs/swagger` can say. Most of them refer to one another. */
const { schema } = fc.letrec<{ schema: object; properties: object }>((tie) => {
  const parts = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  return {
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema')).chain((properties) =>
      fc.record({
        type: fc.constantFrom('object', ['object', 'null']),
        properties: fc.constant(properties),
        required: fc.subarray(Object.keys(properties)),
        nullable: fc.constant(true),
      }),
    ),
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(
        { type: 'string' },
        { type: ['integer', 'null'] },
        { type: 'null' },
        { type: 'boolean', default: true },
        { enum: ['x', 'y'] },
        { description: 'Anything.' },
        { type: 'object', additionalProperties: true },
      ),
      fc.record(
        {
          $ref: fc.constantFrom(...NAMES).map((name) => `#/components/schemas/${name}`),
          description: fc.constant(''),
        },
        { requiredKeys: ['$ref'] },
      ),
      tie('properties'),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
      fc.record({ allOf: parts }),
      fc.tuple(parts, tie('properties')).map(([allOf, own]) => ({ allOf, ...own })),
      fc.record({ oneOf: parts }),
      fc.record({ anyOf: parts }),
    ),
  };
});

const documents: Arbitrary<SchemasObject> = fc.record(
  Object.fromEntries(NAMES.map((name) => [name, schema as Arbitrary<SchemaOrReference>])),
);

const asDocument = (schemas: SchemasObject): OpenAPIObject => ({
  openapi: '3.1.0',
  info: { title: '', version: '' },
  paths: Object.fromEntries(
    NAMES.map((name) => {
      const reference = { $ref: `#/components/schemas/${name}` };
      const responses = { 200: { description: '', content: { 'application/json': { schema: reference } } } };
      return [`/${name}`, { get: { responses } }];
    }),
  ),
  components: { schemas },
});

describe('whatever schemas an author describes', () => {
  const ajv = new Ajv2020({ strict: false }); // one for all: it compiles the schema of schemas, which takes longest

  it('an example is one, or there is none', () => {
    fc.assert(
      fc.property(documents, (schemas) => {
        ajv.removeSchema().addSchema({ $id: 'http://d/', components: { schemas } });
        for (const name of NAMES) {
          const example = exampleOf({ $ref: `#/components/schemas/${name}` }, schemas);
          if (example === undefined || /"(one|all)Of"/.test(JSON.stringify(schemas))) continue; // parts may contradict
          const text = JSON.stringify(example);
          const judge = () => ajv.validate(`http://d/#/components/schemas/${name}`, JSON.parse(text));
          if (!isMeaningless(judge)) expect([text, judge()]).toEqual([text, true]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('the document is complete', () => {
    fc.assert(
      fc.property(documents, (schemas) => {
        for (const one of Object.values(schemas)) refuseUnknownProperties(one, schemas);
        const document = withoutSingleAllOf(asDocument(schemas));
        JSON.stringify([document, uiDocument(document, '', true)]);
      }),
      { numRuns: 300 },
    );
  });

  it('a tree of a thousand branches has no example', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const next = i === 39 ? { type: 'string' } : { $ref: `#/components/schemas/${i + 1}` };
        return [i, { type: 'object', properties: { a: next, b: next }, required: ['a', 'b'] }];
      }),
    ) as SchemasObject;
    expect(exampleOf({ $ref: '#/components/schemas/0' }, schemas)).toBeUndefined();
    expect(exampleOf({ $ref: '#/components/schemas/35' }, schemas)).toMatchObject({ a: { b: { a: {} } } });
  });
});

/** JSON Schema leaves undefined what a schema means that consists of itself, and Ajv does not end. */
function isMeaningless(judge: () => unknown): boolean {
  try {
    judge();
    return false;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}
