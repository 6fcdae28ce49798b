import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { ResponseInfo } from '../response-info.js';
import type {
  ChangeOptions,
  ReadOptions,
  RequestOptions,
  Result,
  Transport,
  WriteOptions,
} from '../transport.js';
import type { Delivery, NewWebhook, Webhook, WebhookChange, WebhookWithSecret } from '../types.js';

export type WebhookQuery<Id = bigint> = Query<'listWebhooks', Id>;
export type DeliveryQuery<Id = bigint> = Query<'listDeliveries', Id>;

/** Webhooks: URLs to which events are sent. */
export class Webhooks<Id = bigint> {
  constructor(private readonly transport: Transport<Id>) {}

  /** All webhooks of the key, in ascending order of `id`. */
  list(query: WebhookQuery<Id> = {}, options?: RequestOptions): Listing<Webhook<Id>> {
    return this.transport.list('listWebhooks', query, options);
  }

  /**
   * Sends future events to a URL. It is not retried automatically, because the secret is shown only once.
   * @throws ValidationError if the URL may not be reached, ConflictError if the key has too many
   */
  create(webhook: NewWebhook<Id>, options?: RequestOptions): Promise<Result<WebhookWithSecret<Id>>> {
    return this.transport.call('createWebhook', { body: webhook }, options);
  }

  /** @throws NotFoundError if the key has no webhook with this id */
  get(webhookId: Id, options?: ReadOptions): Promise<Result<Webhook<Id>>> {
    return this.transport.call('getWebhook', { path: { webhookId } }, options);
  }

  /** Changes a webhook: omitted properties stay the same. */
  update(webhookId: Id, change: WebhookChange<Id>, options?: ChangeOptions): Promise<Result<Webhook<Id>>> {
    return this.transport.call('updateWebhook', { path: { webhookId }, body: change }, options);
  }

  remove(webhookId: Id, options?: ChangeOptions): Promise<ResponseInfo> {
    return this.transport.send('deleteWebhook', { path: { webhookId } }, options);
  }

  /** A new secret. For 24 hours the old one signs too. */
  rotateSecret(webhookId: Id, options?: RequestOptions): Promise<Result<WebhookWithSecret<Id>>> {
    return this.transport.call('rotateWebhookSecret', { path: { webhookId } }, options);
  }

  /** Sends an event of the type `webhook.ping`. @throws ConflictError if the webhook is disabled */
  ping(webhookId: Id, options?: WriteOptions): Promise<Result<Delivery<Id>>> {
    return this.transport.call('pingWebhook', { path: { webhookId } }, options);
  }

  /** The deliveries of the last 30 days, newest first. */
  deliveries(webhookId: Id, query: DeliveryQuery<Id> = {}, options?: RequestOptions): Listing<Delivery<Id>> {
    return this.transport.list('listDeliveries', query, options, { webhookId });
  }

  /** Sends a delivery again. @throws ConflictError if the webhook is disabled */
  retry(webhookId: Id, deliveryId: Id, options?: WriteOptions): Promise<Result<Delivery<Id>>> {
    return this.transport.call('retryDelivery', { path: { webhookId, deliveryId } }, options);
  }
}
