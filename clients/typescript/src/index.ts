export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  GoneError,
  NotFoundError,
  NotModifiedError,
  PermissionError,
  PetstoreError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
} from './errors.js';
export type { Listing, Page, PageOptions } from './listing.js';
export { type ClientOptions, PetstoreClient } from './petstore-client.js';
export type { OrderQuery, Orders } from './resources/orders.js';
export type { PetQuery, Pets } from './resources/pets.js';
export type { RateLimits } from './resources/rate-limits.js';
export type { RateLimitWindow, RateLimitState, ResponseInfo } from './response-info.js';
export type { Runtime } from './runtime.js';
export type { ReadOptions, RequestOptions, WriteOptions } from './transport.js';
export type { FieldError, NewPet, Order, OrderStatus, Pet, PetStatus, RateLimit } from './types.js';
export { VERSION } from './version.js';
