import {
  DOCUMENTED,
  expectDocumentedPages,
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

/** The operation of the contract. */
const OPERATIONS = [
  [
    'listOrders',
    'get',
    '/store/orders',
    'orders:read',
    ['200', '304', '400', '401', '403', '406', '429', '500', '503'],
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

  it.each(['id', 'petId'])('has %s of an order as a 64-bit integer', (field) => {
    expect(document.root.components.schemas.Order.properties[field]).toMatchObject({
      type: 'integer',
      format: 'int64',
    });
  });

  it('documents the pages of listOrders', () => {
    expectDocumentedPages(document, 'listOrders', '/store/orders');
  });

  it('marks listOrders, and nothing else of the shop, as experimental and without a panel to try it', () => {
    expect(document.operation('listOrders')).toMatchObject({
      'x-stability': 'experimental',
      'x-hideTryItPanel': true,
      summary: 'List orders (experimental)',
    });
    const marked = document.operations.filter((one) => one['x-stability'] ?? one['x-hideTryItPanel']);
    const tagsOfShop = ['pets', 'categories', 'store'];
    expect(marked.filter(({ tags }) => tags.some((tag: string) => tagsOfShop.includes(tag)))).toHaveLength(1);
  });
});
