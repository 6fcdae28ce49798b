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
/** A change of a pet: what is absent stays. Experimental: it may change. */
export type PetChange = Exact<Schemas['PetChange']>;
/** An order to place. Experimental: it may change. */
export type NewOrder = Exact<Schemas['NewOrder']>;
/** A category of pets. Experimental: it may change. */
export type Category = Exact<Schemas['Category']>;
export type NewCategory = Exact<Schemas['NewCategory']>;
/** A change of a category: what is absent stays, and a `parentId` of null moves it to the top. */
export type CategoryChange = Exact<Schemas['CategoryChange']>;
/** Something that has changed. Experimental: it may change. */
export type StoreEvent = Exact<Schemas['Event']>;
/** A URL to which events are sent. Experimental: it may change. */
export type Webhook = Exact<Schemas['Webhook']>;
/** The same with its secret, shown this once. Experimental: it may change. */
export type WebhookWithSecret = Exact<Schemas['WebhookWithSecret']>;
/** A webhook to create. Without `types` it gets every event. Experimental: it may change. */
export type NewWebhook = Exact<Schemas['NewWebhook']>;
/** A change of a webhook: what is absent stays. Experimental: it may change. */
export type WebhookChange = Exact<Schemas['WebhookChange']>;
/** An event on its way to a webhook, with its attempts. Experimental: it may change. */
export type Delivery = Exact<Schemas['Delivery']>;
export type DeliveryAttempt = Exact<Schemas['DeliveryAttempt']>;
export type DeliveryState = Schemas['DeliveryState'];
/** An API key without its secret. Experimental: it may change. */
export type ApiKey = Exact<Schemas['ApiKey']>;
export type Rotation = Exact<Schemas['Rotation']>;
export type RotatedKey = Exact<Schemas['RotatedKey']>;
/** The requests of a UTC day. Experimental: it may change. */
export type DayUsage = Exact<Schemas['DayUsage']>;
/** Where an API key stands. Beta: it may change. */
export type RateLimit = Exact<Schemas['RateLimit']>;
/** One invalid value of a request. */
export type FieldError = Schemas['FieldError'];
