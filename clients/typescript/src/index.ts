export { ERROR_CODES } from './error-codes.js';
export {
  AuthenticationError,
  type ClientErrorCode,
  ConflictError,
  ConnectionError,
  CreateManyError,
  type ErrorCode,
  GoneError,
  InvalidRequestError,
  NotFoundError,
  NotModifiedError,
  PermissionError,
  PetstoreError,
  PreconditionFailedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
  WebhookVerificationError,
} from './errors.js';
export type { IdKind, IdTypes } from './exact-json.js';
export type { Listing, Page, PageOptions } from './listing.js';
export { type ClientOptions, PetstoreClient } from './petstore-client.js';
export type { Categories, CategoryQuery } from './resources/categories.js';
export type { EventQuery, Events } from './resources/events.js';
export type { OrderQuery, Orders } from './resources/orders.js';
export type { Key, UsageQuery } from './resources/key.js';
export type { CreateManyOptions } from './resources/create-many.js';
export type { PetQuery, Pets } from './resources/pets.js';
export type { RateLimits } from './resources/rate-limits.js';
export type { DeliveryQuery, WebhookQuery, Webhooks } from './resources/webhooks.js';
export type { RateLimitWindow, RateLimitState, ResponseInfo } from './response-info.js';
export type { Runtime } from './runtime.js';
export type { ChangeOptions, ReadOptions, RequestOptions, Result, WriteOptions } from './transport.js';
export type {
  ApiKey,
  Category,
  CategoryChange,
  DayUsage,
  Delivery,
  DeliveryAttempt,
  DeliveryState,
  FieldError,
  Inventory,
  NewCategory,
  NewOrder,
  NewPet,
  NewWebhook,
  Order,
  OrderStatus,
  Pet,
  PetChange,
  PetStatus,
  RateLimit,
  RotatedKey,
  Rotation,
  StoreEvent,
  Webhook,
  WebhookChange,
  WebhookEvent,
  WebhookWithSecret,
} from './types.js';
export { verifyWebhook, type VerifyOptions, type WebhookHeaders } from './verify-webhook.js';
export { VERSION } from './version.js';
