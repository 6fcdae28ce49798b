import type { Exact } from './exact-json.js';
import type { components } from './schema.js';

type Schemas = components['schemas'];

/** A pet in the store. */
export type Pet = Exact<Schemas['Pet']>;
/** A pet to add. Without a `status` it is `available`. */
export type NewPet = Exact<Schemas['NewPet']>;
export type PetStatus = Schemas['PetStatus'];
/** An order. */
export type Order = Exact<Schemas['Order']>;
export type OrderStatus = Schemas['OrderStatus'];
/** A change of a pet: what is absent stays. */
export type PetChange = Exact<Schemas['PetChange']>;
/** An order to place. */
export type NewOrder = Exact<Schemas['NewOrder']>;
/** A category of pets. */
export type Category = Exact<Schemas['Category']>;
export type NewCategory = Exact<Schemas['NewCategory']>;
/** A change of a category: what is absent stays, and a `parentId` of null moves it to the top. */
export type CategoryChange = Exact<Schemas['CategoryChange']>;
/** Something that has changed. */
export type StoreEvent = Exact<Schemas['Event']>;
/** A URL to which events are sent. */
export type Webhook = Exact<Schemas['Webhook']>;
/** The same with its secret, shown this once. */
export type WebhookWithSecret = Exact<Schemas['WebhookWithSecret']>;
/** A webhook to create. Without `types` it gets every event. */
export type NewWebhook = Exact<Schemas['NewWebhook']>;
/** A change of a webhook: what is absent stays. */
export type WebhookChange = Exact<Schemas['WebhookChange']>;
/** An event on its way to a webhook, with its attempts. */
export type Delivery = Exact<Schemas['Delivery']>;
export type DeliveryAttempt = Exact<Schemas['DeliveryAttempt']>;
export type DeliveryState = Schemas['DeliveryState'];
/** An API key without its secret. */
export type ApiKey = Exact<Schemas['ApiKey']>;
export type Rotation = Exact<Schemas['Rotation']>;
export type RotatedKey = Exact<Schemas['RotatedKey']>;
/** The requests of a UTC day. */
export type DayUsage = Exact<Schemas['DayUsage']>;
/** Where an API key stands. */
export type RateLimit = Exact<Schemas['RateLimit']>;
/** One invalid value of a request. */
export type FieldError = Schemas['FieldError'];
