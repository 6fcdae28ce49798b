import type { Exact, Given, Loose } from './exact-json.js';
import type { operations } from './schema.js';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, with its parameters in braces. */
  readonly path: `/${string}`;
  /** A `POST` that takes an `Idempotency-Key` can be sent again, and is done once all the same. */
  readonly takesIdempotencyKey?: true;
  /** The parameters of the query that take several values. */
  readonly lists?: readonly string[];
}

type HeadersOf<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['header']>;
type TakesKey<Headers> = [Headers] extends [never]
  ? false
  : 'Idempotency-Key' extends keyof Headers
    ? true
    : false;

type QueryOf<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;
type ListsOf<Parameters> = {
  [Name in keyof Parameters]-?: NonNullable<Parameters[Name]> extends readonly unknown[] ? Name : never;
}[keyof Parameters];

/** What the document says of each operation; a row that contradicts it does not compile. */
type Declared = {
  readonly [Id in keyof operations]?: Operation &
    (TakesKey<HeadersOf<Id>> extends true
      ? { readonly takesIdempotencyKey: true }
      : { readonly takesIdempotencyKey?: never }) &
    ([ListsOf<QueryOf<Id>>] extends [never]
      ? { readonly lists?: never }
      : { readonly lists: readonly ListsOf<QueryOf<Id>>[] });
};

/** The operations that this client offers, by their `operationId`. */
export const OPERATIONS = {
  listPets: { method: 'GET', path: '/pets', lists: ['ids'] },
  createPet: { method: 'POST', path: '/pets', takesIdempotencyKey: true },
  createPets: { method: 'POST', path: '/pets/batch', takesIdempotencyKey: true },
  updatePet: { method: 'PATCH', path: '/pets/{petId}' },
  deletePet: { method: 'DELETE', path: '/pets/{petId}' },
  listCategories: { method: 'GET', path: '/categories' },
  createCategory: { method: 'POST', path: '/categories', takesIdempotencyKey: true },
  getCategory: { method: 'GET', path: '/categories/{categoryId}' },
  updateCategory: { method: 'PATCH', path: '/categories/{categoryId}' },
  deleteCategory: { method: 'DELETE', path: '/categories/{categoryId}' },
  listPetsOfCategory: { method: 'GET', path: '/categories/{categoryId}/pets' },
  getInventory: { method: 'GET', path: '/store/inventory' },
  listOrders: { method: 'GET', path: '/store/orders' },
  placeOrder: { method: 'POST', path: '/store/orders', takesIdempotencyKey: true },
  getOrder: { method: 'GET', path: '/store/orders/{orderId}' },
  approveOrder: { method: 'POST', path: '/store/orders/{orderId}/approve', takesIdempotencyKey: true },
  deliverOrder: { method: 'POST', path: '/store/orders/{orderId}/deliver', takesIdempotencyKey: true },
  cancelOrder: { method: 'POST', path: '/store/orders/{orderId}/cancel', takesIdempotencyKey: true },
  listEvents: { method: 'GET', path: '/events' },
  listWebhooks: { method: 'GET', path: '/webhooks' },
  createWebhook: { method: 'POST', path: '/webhooks' },
  getWebhook: { method: 'GET', path: '/webhooks/{webhookId}' },
  updateWebhook: { method: 'PATCH', path: '/webhooks/{webhookId}' },
  deleteWebhook: { method: 'DELETE', path: '/webhooks/{webhookId}' },
  rotateWebhookSecret: { method: 'POST', path: '/webhooks/{webhookId}/rotate-secret' },
  listDeliveries: { method: 'GET', path: '/webhooks/{webhookId}/deliveries' },
  retryDelivery: {
    method: 'POST',
    path: '/webhooks/{webhookId}/deliveries/{deliveryId}/retry',
    takesIdempotencyKey: true,
  },
  pingWebhook: { method: 'POST', path: '/webhooks/{webhookId}/ping', takesIdempotencyKey: true },
  getKey: { method: 'GET', path: '/key' },
  rotateKey: { method: 'POST', path: '/key/rotate' },
  getUsage: { method: 'GET', path: '/usage' },
  getRateLimit: { method: 'GET', path: '/rate-limit' },
} as const satisfies Declared;

export type OperationId = keyof typeof OPERATIONS;

type Parameters<Id extends OperationId> = operations[Id]['parameters'];
type Content<Holder, Id> = Holder extends { content: { 'application/json': infer Body } }
  ? Exact<Body, Id>
  : undefined;
type Responses<Id extends OperationId> = operations[Id]['responses'];

/** The parameters in the address of an operation. */
export type Query<Op extends OperationId, Id = bigint> = Given<NonNullable<Parameters<Op>['query']>, Id>;

/** What an operation is called with. */
export interface Input<Op extends OperationId, Id> {
  readonly path?: Exact<Parameters<Op>['path'], Id> | undefined;
  readonly query?: Query<Op, Id> | undefined;
  readonly body?: Loose<Content<operations[Op]['requestBody'], Id>> | undefined;
}

/** What an operation returns when it succeeds. */
export type Output<Op extends OperationId, Id> = Content<
  Responses<Op>[keyof Responses<Op> & (200 | 201 | 202 | 204)],
  Id
>;
