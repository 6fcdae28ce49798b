import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { type ApiKeyPrincipal, CurrentPrincipal } from '../../access/auth/principal.js';
import { RequireScope } from '../../access/auth/require-scope.decorator.js';
import { PLACES } from '../../kernel/config/service.js';
import type { Int64 } from '../../kernel/json/int64.js';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';
import { Id } from '../../http/validation/id.decorator.js';
import { A_WEBHOOK } from './examples.js';
import { Tag } from '../../http/core/operation-marks.js';
import { IfMatch, type IfMatchCondition } from '../../http/conditional/if-match.js';
import { Created, Updated } from '../../http/conditional/resource.decorators.js';
import type { Page } from '../../http/pagination/page.js';
import { PageQuery } from '../../http/pagination/page.query.js';
import { Paged } from '../../http/pagination/paged.decorator.js';
import { CreateWebhookDto } from './dto/create-webhook.dto.js';
import { UpdateWebhookDto } from './dto/update-webhook.dto.js';
import { WebhookResponse, WebhookWithSecretResponse } from './dto/webhook.response.js';
import { TooManyWebhooks, WebhookDisabledByOperator, WebhookNotFound } from './webhook.errors.js';
import { WebhooksService } from './webhooks.service.js';

@Tag('webhooks', 'Events sent to your URL')
@Controller({ path: 'webhooks', version: '1' })
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @RequireScope('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'The webhooks of your key, in ascending order of `id`.',
  })
  @Paged(WebhookResponse, { description: 'A page of the webhooks of your key.' })
  list(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Query() query: PageQuery,
  ): Promise<Page<WebhookResponse>> {
    return this.webhooks.list(id, query);
  }

  @Post()
  @RequireScope('webhooks:write', 'events:read')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Sends new events to `url`, signed according to Standard Webhooks. A webhook belongs to the key that ' +
      `creates it: ${PLACES.webhooks}. The response has the ` +
      '`secret`, which is shown only once. `Idempotency-Key` is not supported, ' +
      'because responses with secrets are not stored.',
  })
  @Created(WebhookWithSecretResponse, { description: 'The webhook and its secret.', etag: false })
  @ApiErrors(TooManyWebhooks.example)
  create(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Body() newWebhook: CreateWebhookDto,
  ): Promise<WebhookWithSecretResponse> {
    return this.webhooks.create(id, newWebhook);
  }

  @Get(':webhookId')
  @RequireScope('webhooks:read')
  @ApiOperation({
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    description: 'Returns the webhook without its secret.',
  })
  @ApiOkResponse({ type: WebhookResponse, description: 'The webhook.' })
  get(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, A_WEBHOOK) webhookId: Int64,
  ): Promise<WebhookResponse> {
    return this.webhooks.get(id, webhookId);
  }

  @Patch(':webhookId')
  @RequireScope('webhooks:write', 'events:read')
  @ApiOperation({
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'A JSON merge patch (RFC 7396): properties you leave out stay unchanged. Events that occur while a webhook ' +
      'is disabled are not delivered later.',
  })
  @Updated(WebhookResponse)
  @ApiErrors(new WebhookDisabledByOperator())
  update(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, A_WEBHOOK) webhookId: Int64,
    @Body() change: UpdateWebhookDto,
    @IfMatch() condition: IfMatchCondition,
  ): Promise<WebhookResponse> {
    return this.webhooks.update(id, webhookId, change, condition);
  }

  @Delete(':webhookId')
  @HttpCode(204)
  @RequireScope('webhooks:write')
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Stops all deliveries to it.',
  })
  @ApiNoContentResponse({ description: 'The webhook was deleted.' })
  remove(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, A_WEBHOOK) webhookId: Int64,
    @IfMatch() condition: IfMatchCondition,
  ): Promise<void> {
    return this.webhooks.remove(id, webhookId, condition);
  }

  @Post(':webhookId/rotate-secret')
  @HttpCode(200)
  @RequireScope('webhooks:write')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'Creates a new secret. For 24 hours, deliveries carry two signatures, one for each secret, so you can switch ' +
      'the receiver at any time. If the response is lost, rotate again: that replaces the new secret, and the old ' +
      'one still ends at the same time.',
  })
  @ApiOkResponse({ type: WebhookWithSecretResponse, description: 'The webhook and its new secret.' })
  rotateSecret(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Id('webhookId', WebhookNotFound, A_WEBHOOK) webhookId: Int64,
  ): Promise<WebhookWithSecretResponse> {
    return this.webhooks.rotateSecret(id, webhookId);
  }
}
