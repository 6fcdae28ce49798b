import type { Exact } from './exact-json.js';
import type { components } from './schema.js';

type Schemas = components['schemas'];

/** A pet in the store. */
export type Pet = Exact<Schemas['Pet']>;
/** A pet to add. Without a `status` it is `available`. */
export type NewPet = Exact<Schemas['NewPet']>;
export type PetStatus = Schemas['PetStatus'];
/** An order. Experimental: it may change. */
export type Order = Exact<Schemas['Order']>;
export type OrderStatus = Schemas['OrderStatus'];
/** Where an API key stands. Beta: it may change. */
export type RateLimit = Exact<Schemas['RateLimit']>;
/** One invalid value of a request. */
export type FieldError = Schemas['FieldError'];
