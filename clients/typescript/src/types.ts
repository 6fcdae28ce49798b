import type { Exact, Given } from './exact-json.js';
import type { components, webhooks } from './schema.js';

type Schemas = components['schemas'];

/** A pet in the store. */
export type Pet<Id = bigint> = Exact<Schemas['Pet'], Id>;
/** A pet to add. Without a `status` it is `available`. */
export type NewPet<Id = bigint> = Given<Schemas['NewPet'], Id>;
/** Pets to add in one request. */
export type NewPetBatch<Id = bigint> = Given<Schemas['NewPetBatch'], Id>;
export type PetStatus = Schemas['PetStatus'];
/** An order. */
export type Order<Id = bigint> = Exact<Schemas['Order'], Id>;
export type OrderStatus = Schemas['OrderStatus'];
/** A change of a pet. Omitted properties stay the same. */
export type PetChange<Id = bigint> = Given<Schemas['PetChange'], Id>;
/** An order to place. */
export type NewOrder<Id = bigint> = Given<Schemas['NewOrder'], Id>;
/** A category of pets. */
export type Category<Id = bigint> = Exact<Schemas['Category'], Id>;
export type NewCategory<Id = bigint> = Given<Schemas['NewCategory'], Id>;
/** A change of a category. Omitted properties stay the same; a `parentId` of null moves it to the top. */
export type CategoryChange<Id = bigint> = Given<Schemas['CategoryChange'], Id>;
type EventBody<Type extends keyof webhooks> =
  webhooks[Type]['post']['requestBody']['content']['application/json'];
type EventOf<Type extends keyof webhooks, Id> = { [One in Type]: Exact<EventBody<One>, Id> }[Type];
/** Something that has changed: `type` tells what `data` is. Types may be added, so ignore one that you do not know. */
export type StoreEvent<Id = bigint> = EventOf<Exclude<keyof webhooks, 'webhook.ping'>, Id>;
/** What is sent to a webhook: an event, or a ping. */
export type WebhookEvent<Id = bigint> = EventOf<keyof webhooks, Id>;
/** A URL to which events are sent. */
export type Webhook<Id = bigint> = Exact<Schemas['Webhook'], Id>;
/** A webhook with its secret, shown only once. */
export type WebhookWithSecret<Id = bigint> = Exact<Schemas['WebhookWithSecret'], Id>;
/** A webhook to create. Without `types` it gets every event. */
export type NewWebhook<Id = bigint> = Given<Schemas['NewWebhook'], Id>;
/** A change of a webhook. Omitted properties stay the same. */
export type WebhookChange<Id = bigint> = Given<Schemas['WebhookChange'], Id>;
/** An event on its way to a webhook, with its attempts. */
export type Delivery<Id = bigint> = Exact<Schemas['Delivery'], Id>;
export type DeliveryAttempt<Id = bigint> = Exact<Schemas['DeliveryAttempt'], Id>;
export type DeliveryState = Schemas['DeliveryState'];
/** An API key without its secret. */
export type ApiKey<Id = bigint> = Exact<Schemas['ApiKey'], Id>;
export type Rotation<Id = bigint> = Given<Schemas['Rotation'], Id>;
export type RotatedKey<Id = bigint> = Exact<Schemas['RotatedKey'], Id>;
/** The requests of a UTC day. */
export type DayUsage<Id = bigint> = Exact<Schemas['DayUsage'], Id>;
/** The number of pets of each status. */
export type Inventory = Schemas['Inventory'];
/** The quota of an API key. */
export type RateLimit<Id = bigint> = Exact<Schemas['RateLimit'], Id>;
/** One invalid value of a request. */
export type FieldError = Schemas['FieldError'];
