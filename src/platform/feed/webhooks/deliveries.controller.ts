import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation } from '@nestjs/swagger';
import { type ApiKeyPrincipal, CurrentPrincipal } from '../../access/auth/principal.js';
import { RequireScope } from '../../access/auth/require-scope.decorator.js';
import { Changes } from '../../writes/unit-of-work/changes.js';
import { UnitOfWork } from '../../writes/unit-of-work/unit-of-work.decorator.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { Idempotent } from '../../writes/idempotency/idempotent.decorator.js';
import type { Page } from '../../http/pagination/page.js';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';
import { Id } from '../../http/validation/id.decorator.js';
import { A_DELIVERY, A_WEBHOOK } from './examples.js';
import { Tag } from '../../http/core/operation-marks.js';
import { Paged } from '../../http/pagination/paged.decorator.js';
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
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'List deliveries of a webhook',
    description: 'Returns the deliveries of the last 30 days, newest first, with their attempts.',
  })
  @Paged(DeliveryResponse, { description: 'A page of deliveries.' })
  list(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, A_WEBHOOK) webhookId: Int64,
    @Query() query: ListDeliveriesQuery,
  ): Promise<Page<DeliveryResponse>> {
    return this.deliveries.list(id, webhookId, query);
  }

  @Post('deliveries/:deliveryId/retry')
  @HttpCode(202)
  @RequireScope('webhooks:write', 'events:read')
  @Idempotent()
  @ApiOperation({
    operationId: 'retryDelivery',
    summary: 'Send a delivery again',
    description:
      'Resends the delivery, whatever its state, before all others that wait and with the same `webhook-id`.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponse, description: 'The delivery, now pending.' })
  @ApiErrors(new WebhookDisabled())
  retry(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, A_WEBHOOK) webhookId: Int64,
    @Id('deliveryId', DeliveryNotFound, A_DELIVERY) deliveryId: Int64,
    @UnitOfWork() changes: Changes,
  ): Promise<DeliveryResponse> {
    return this.deliveries.retry(id, webhookId, deliveryId, changes);
  }

  @Post('ping')
  @HttpCode(202)
  @RequireScope('webhooks:write', 'events:read')
  @Idempotent()
  @ApiOperation({
    operationId: 'pingWebhook',
    summary: 'Send a ping to a webhook',
    description:
      'Sends a `webhook.ping` to test the endpoint, before all deliveries that wait. Pings are not in the feed.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponse, description: 'The delivery, now pending.' })
  @ApiErrors(new WebhookDisabled())
  ping(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, A_WEBHOOK) webhookId: Int64,
    @UnitOfWork() changes: Changes,
  ): Promise<DeliveryResponse> {
    return this.deliveries.ping(id, webhookId, changes);
  }
}
