import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation } from '@nestjs/swagger';
import { type ApiKeyPrincipal, CurrentPrincipal } from '../auth/principal.js';
import { RequireScope } from '../auth/scope.guard.js';
import type { Int64 } from '../kernel/json/int64.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import type { Page } from '../kernel/pagination/page.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { Id } from '../openapi/decorators/id.decorator.js';
import { ClientMethod, Tag } from '../openapi/decorators/operation-marks.js';
import { Paged } from '../openapi/decorators/paged.decorator.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryResponse } from './dto/delivery.response.js';
import { ListDeliveriesQuery } from './dto/list-deliveries.query.js';
import { DeliveryNotFound, WebhookDisabled, WebhookNotFound } from './webhook.errors.js';

@Tag('webhooks', 'Events sent to your URL')
@Controller({ path: 'webhooks/:webhookId', version: '1' })
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get('deliveries')
  @RequireScope('webhooks:read')
  @ClientMethod('webhooks.deliveries')
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'List deliveries of a webhook',
    description: 'Returns the deliveries of the last 30 days, newest first, with their attempts.',
  })
  @Paged(DeliveryResponse, { description: 'A page of deliveries.' })
  list(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, { example: 7 }) webhookId: Int64,
    @Query() query: ListDeliveriesQuery,
  ): Promise<Page<DeliveryResponse>> {
    return this.deliveries.list(id, webhookId, query);
  }

  @Post('deliveries/:deliveryId/retry')
  @HttpCode(202)
  @RequireScope('webhooks:write', 'events:read')
  @Idempotent()
  @ClientMethod('webhooks.retry')
  @ApiOperation({
    operationId: 'retryDelivery',
    summary: 'Send a delivery again',
    description:
      'Resends the delivery, whatever its state, as soon as possible and with the same `webhook-id`.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponse, description: 'The delivery, now pending.' })
  @ApiErrors(new WebhookDisabled())
  retry(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, { example: 7 }) webhookId: Int64,
    @Id('deliveryId', DeliveryNotFound, { example: 90210 }) deliveryId: Int64,
  ): Promise<DeliveryResponse> {
    return this.deliveries.retry(id, webhookId, deliveryId);
  }

  @Post('ping')
  @HttpCode(202)
  @RequireScope('webhooks:write', 'events:read')
  @Idempotent()
  @ClientMethod('webhooks.ping')
  @ApiOperation({
    operationId: 'pingWebhook',
    summary: 'Send a ping to a webhook',
    description: 'Sends a `webhook.ping` to test the endpoint. Pings are not in the feed.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponse, description: 'The delivery, now pending.' })
  @ApiErrors(new WebhookDisabled())
  ping(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, { example: 7 }) webhookId: Int64,
  ): Promise<DeliveryResponse> {
    return this.deliveries.ping(id, webhookId);
  }
}
