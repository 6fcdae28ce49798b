import type { ParameterOrder } from './platform/program/index.js';

/** The parameters of 2.1.0, in an order that stays. Written by `npm run openapi:release`. */
export const RELEASED_PARAMETERS: ParameterOrder = {
  listPets: ['limit', 'cursor', 'sort', 'status', 'categoryId', 'ids', 'If-None-Match', 'namePrefix'],
  getPet: ['petId', 'If-None-Match'],
  updatePet: ['petId', 'If-Match', 'If-None-Match'],
  deletePet: ['petId', 'If-Match', 'If-None-Match'],
  listCategories: ['limit', 'cursor', 'If-None-Match'],
  getCategory: ['categoryId', 'If-None-Match'],
  updateCategory: ['categoryId', 'If-Match', 'If-None-Match'],
  deleteCategory: ['categoryId', 'If-Match', 'If-None-Match'],
  listPetsOfCategory: ['categoryId', 'limit', 'cursor', 'sort', 'status', 'If-None-Match'],
  listOrders: ['limit', 'cursor', 'sort', 'status', 'petId', 'If-None-Match'],
  getOrder: ['orderId', 'If-None-Match'],
  approveOrder: ['orderId', 'If-Match', 'Idempotency-Key', 'If-None-Match'],
  deliverOrder: ['orderId', 'If-Match', 'Idempotency-Key', 'If-None-Match'],
  cancelOrder: ['orderId', 'If-Match', 'Idempotency-Key', 'If-None-Match'],
  listEvents: ['limit', 'cursor', 'type', 'If-None-Match', 'since'],
  listWebhooks: ['limit', 'cursor', 'If-None-Match'],
  getWebhook: ['webhookId', 'If-None-Match'],
  updateWebhook: ['webhookId', 'If-Match', 'If-None-Match'],
  deleteWebhook: ['webhookId', 'If-Match', 'If-None-Match'],
  listDeliveries: ['webhookId', 'limit', 'cursor', 'state', 'If-None-Match'],
  retryDelivery: ['webhookId', 'deliveryId', 'Idempotency-Key'],
  pingWebhook: ['webhookId', 'Idempotency-Key'],
  getUsage: ['days', 'If-None-Match'],
};
