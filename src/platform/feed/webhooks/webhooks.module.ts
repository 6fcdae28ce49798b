// webhooks/ sends each event to the webhooks that want it, at least once. How events are recorded is in
// `events`.

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from '../../access/keys/api-key.entity.js';
import { EventsModule } from '../events/events.module.js';
import { settingsProvider } from '../../kernel/config/config.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryStore } from './delivery/delivery-store.js';
import { AddressResolver, EndpointAddresses } from './delivery/endpoint-addresses.js';
import { checkWebhookSecrets } from './secrets.check.js';
import { SecretBox } from './delivery/secret-box.js';
import { WebhookDeliverer } from './delivery/webhook-deliverer.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { EndpointUrl } from './endpoint-url.js';
import { FanOut } from './delivery/fan-out.js';
import { WebhookHousekeeping } from './delivery/webhook-housekeeping.js';
import { WebhookWorker } from './delivery/webhook-worker.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import { Webhook } from './webhook.entity.js';
import { PING } from './webhook.events.js';
import { WebhookMetrics } from './webhook.metrics.js';
import { WebhooksConfig } from './webhooks.config.js';
import { addWebhooksCommand } from './webhooks.command.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Webhook, WebhookDelivery, ApiKey]), EventsModule],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    settingsProvider(WebhooksConfig),
    WebhooksService,
    DeliveriesService,
    EndpointUrl,
    AddressResolver,
    EndpointAddresses,
    {
      provide: SecretBox,
      inject: [WebhooksConfig],
      useFactory: ({ secretKeys }: WebhooksConfig) => new SecretBox(secretKeys),
    },
    DeliveryStore,
    WebhookSender,
    WebhookDeliverer,
    FanOut,
    WebhookWorker,
    WebhookHousekeeping,
    WebhookMetrics,
  ],
})
export class WebhooksModule {
  static readonly scopes = ['webhooks:read', 'webhooks:write'] as const;
  static readonly pings = [PING];
  /** Part of `petstore worker`. */
  static readonly hasWorker = true;
  static readonly settings = [WebhooksConfig];
  static readonly checks = [checkWebhookSecrets];
  static readonly commands = [addWebhooksCommand];
}
