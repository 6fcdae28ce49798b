import type { Listing } from '../listing.js';
import type { Query } from '../operations.js';
import type { ReadOptions, RequestOptions, Transport, WriteOptions } from '../transport.js';
import type { Delivery, NewWebhook, Webhook, WebhookChange, WebhookWithSecret } from '../types.js';

export type DeliveryQuery = Query<'listDeliveries'>;

/** Webhooks: URLs to which events are sent. */
export class Webhooks {
  constructor(private readonly transport: Transport) {}

  /** All webhooks of the key, in ascending order of `id`. */
  list(options?: ReadOptions): Promise<Webhook[]> {
    return this.transport.call('listWebhooks', {}, options);
  }

  /**
   * Sends later events to a URL. The secret is shown this once, so that a lost response is not tried again by itself.
   * @throws ValidationError if the URL may not be reached, ConflictError if the key has too many
   */
  create(webhook: NewWebhook, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.transport.call('createWebhook', { body: webhook }, options);
  }

  /** @throws NotFoundError if the key has no webhook with this id */
  get(webhookId: bigint, options?: ReadOptions): Promise<Webhook> {
    return this.transport.call('getWebhook', { path: { webhookId } }, options);
  }

  /** Changes a webhook: what `change` does not name stays. */
  update(webhookId: bigint, change: WebhookChange, options?: RequestOptions): Promise<Webhook> {
    return this.transport.call('updateWebhook', { path: { webhookId }, body: change }, options);
  }

  async remove(webhookId: bigint, options?: RequestOptions): Promise<void> {
    await this.transport.call('deleteWebhook', { path: { webhookId } }, options);
  }

  /** A new secret. For 24 hours the old one signs too. */
  rotateSecret(webhookId: bigint, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.transport.call('rotateWebhookSecret', { path: { webhookId } }, options);
  }

  /** Sends an event of the type `webhook.ping`. @throws ConflictError if the webhook is disabled */
  ping(webhookId: bigint, options?: WriteOptions): Promise<Delivery> {
    return this.transport.call('pingWebhook', { path: { webhookId } }, options);
  }

  /** Every delivery of the last 30 days once, newest first. */
  deliveries(webhookId: bigint, query: DeliveryQuery = {}, options?: RequestOptions): Listing<Delivery> {
    return this.transport.list('listDeliveries', query, options, { webhookId });
  }

  /** Sends a delivery again. @throws ConflictError if the webhook is disabled */
  retry(webhookId: bigint, deliveryId: bigint, options?: WriteOptions): Promise<Delivery> {
    return this.transport.call('retryDelivery', { path: { webhookId, deliveryId } }, options);
  }
}
