import {
  DOCUMENTED,
  expectDocumentedPages,
  expectDocumentedRemoval,
  expectDocumentedScope,
  OpenApiDocument,
} from './support/openapi-document.js';
import { Petstore } from './support/petstore.js';

let document: OpenApiDocument;

beforeAll(async () => {
  const petstore = await Petstore.start({ env: DOCUMENTED });
  document = await OpenApiDocument.of(petstore);
  await petstore.stop();
});

/** The operations of the contract. */
const OPERATIONS = [
  ['listPets', 'get', '/pets', 'pets:read', ['200', '304', '400', '401', '403', '406', '429', '500', '503']],
  [
    'createPet',
    'post',
    '/pets',
    'pets:write',
    ['201', '400', '401', '403', '406', '409', '413', '415', '422', '429', '500', '503'],
  ],
  [
    'getPet',
    'get',
    '/pets/{petId}',
    'pets:read',
    ['200', '304', '400', '401', '403', '404', '406', '410', '429', '500', '503'],
  ],
] as const;

describe('GET /openapi.json', () => {
  it.each(OPERATIONS)('has %s: %s %s, with the scope %s', (id, method, path, scope, statuses) => {
    const operation = document.operation(id);
    expect(document.root.paths[path][method]).toBe(operation);
    expect(Object.keys(operation.responses)).toEqual(statuses);
    expect(operation.summary).toMatch(/\w/);
    expect(operation.security).toEqual([{ apiKey: [scope] }]);
    expectDocumentedScope(document, id, scope);
  });

  it.each([
    ['Pet', ['id', 'categoryId']],
    ['NewPet', ['categoryId']],
  ])('has %s with the 64-bit integers %s', (name, fields) => {
    for (const field of fields) {
      expect(document.root.components.schemas[name].properties[field]).toMatchObject({
        type: 'integer',
        format: 'int64',
      });
    }
  });

  it('has petId as a 64-bit integer', () => {
    expect(document.parameter('getPet', 'petId')).toMatchObject({
      in: 'path',
      required: true,
      schema: { type: 'integer', format: 'int64' },
    });
  });

  it('documents the pages of listPets', () => {
    expectDocumentedPages(document, 'listPets', '/pets');
  });

  it('enumerates the status of a pet, also as a filter', () => {
    const status = { $ref: '#/components/schemas/PetStatus' };
    expect(document.root.components.schemas.PetStatus.enum).toEqual(['available', 'pending', 'sold']);
    expect(document.parameter('listPets', 'status').schema).toEqual(status);
    expect(document.root.components.schemas.Pet.properties.status).toMatchObject(status);
  });

  it('has a NewPet with an optional status and no additional properties', () => {
    const { schema, example } = document.operation('createPet').requestBody.content['application/json'];
    expect(document.resolve(schema)).toMatchObject({
      required: ['name', 'categoryId'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 200 },
        status: { $ref: '#/components/schemas/PetStatus', default: 'available' },
      },
    });
    expect(document.operation('createPet').requestBody.required).toBe(true);
    expect(example).toEqual({ name: 'Rex', categoryId: 7, status: 'available' });
  });

  it('lists the code of a missing pet', () => {
    expect(Object.keys(document.json('getPet', '404').examples)).toContain('pet_not_found');
  });

  it('marks getPet as deprecated until 5 December 2030, and its headers', () => {
    expectDocumentedRemoval(document, 'getPet', 'Get a pet');
    const deprecated = OPERATIONS.filter(([id]) => document.operation(id).deprecated === true);
    expect(deprecated).toHaveLength(1);
  });
});
