import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import {
  ApiConsumes,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { type ApiKeyPrincipal, CurrentPrincipal } from '../auth/principal.js';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { NoQuery } from '../http/route-metadata.js';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { Tag } from '../openapi/decorators/operation-marks.js';
import { LOCATION_HEADER } from '../openapi/decorators/api-headers.decorator.js';
import { CreateWebhookDto } from './dto/create-webhook.dto.js';
import { UpdateWebhookDto } from './dto/update-webhook.dto.js';
import { WebhookResponse, WebhookWithSecretResponse } from './dto/webhook.response.js';
import { ApiWebhookId } from './api-webhook-id.decorator.js';
import { TooManyWebhooks, WebhookDisabledByOperator } from './webhook.errors.js';
import { MAX_WEBHOOKS, WebhooksService } from './webhooks.service.js';

@Tag('webhooks', 'Events sent to a URL of yours')
@Controller({ path: 'webhooks', version: '1' })
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @NoQuery()
  @RequireScope('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: `The webhooks of your key, at most ${MAX_WEBHOOKS}, in ascending order of \`id\`.`,
  })
  @ApiOkResponse({ type: [WebhookResponse], description: 'All webhooks of your key.' })
  list(@CurrentPrincipal() { id }: ApiKeyPrincipal): Promise<WebhookResponse[]> {
    return this.webhooks.list(id);
  }

  @Post()
  @NoQuery()
  @RequireScope('webhooks:write')
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Later events are sent to the `url`, with a signature after Standard Webhooks. A webhook belongs to the key that ' +
      'creates it. The response has the `secret` this once. There is no `Idempotency-Key`, because no secret is kept in a ' +
      'stored response.',
  })
  @ApiCreatedResponse({
    type: WebhookWithSecretResponse,
    description: 'The webhook and its secret.',
    headers: LOCATION_HEADER,
  })
  @ApiErrors(new TooManyWebhooks(MAX_WEBHOOKS))
  async create(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Body() newWebhook: CreateWebhookDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookWithSecretResponse> {
    const webhook = await this.webhooks.create(id, newWebhook);
    response.location(`/v1/webhooks/${webhook.id}`);
    return webhook;
  }

  @Get(':webhookId')
  @NoQuery()
  @RequireScope('webhooks:read')
  @ApiOperation({ operationId: 'getWebhook', summary: 'Get a webhook', description: 'Without its secret.' })
  @ApiWebhookId()
  @ApiOkResponse({ type: WebhookResponse, description: 'The webhook.' })
  get(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Param('webhookId') webhookId: string,
  ): Promise<WebhookResponse> {
    return this.webhooks.get(id, webhookId);
  }

  @Patch(':webhookId')
  @NoQuery()
  @RequireScope('webhooks:write')
  @ApiOperation({
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'A JSON merge patch (RFC 7396): what the body does not name stays as it is. No events are kept for a webhook while it ' +
      'is disabled.',
  })
  @ApiConsumes('application/merge-patch+json', 'application/json')
  @ApiWebhookId()
  @ApiOkResponse({ type: WebhookResponse, description: 'The changed webhook.' })
  @ApiErrors(new WebhookDisabledByOperator())
  update(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Param('webhookId') webhookId: string,
    @Body() change: UpdateWebhookDto,
  ): Promise<WebhookResponse> {
    return this.webhooks.update(id, webhookId, change);
  }

  @Delete(':webhookId')
  @NoQuery()
  @HttpCode(204)
  @RequireScope('webhooks:write')
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Nothing more is sent to it.',
  })
  @ApiWebhookId()
  @ApiNoContentResponse({ description: 'The webhook is deleted.' })
  remove(@CurrentPrincipal() { id }: ApiKeyPrincipal, @Param('webhookId') webhookId: string): Promise<void> {
    return this.webhooks.remove(id, webhookId);
  }

  @Post(':webhookId/rotate-secret')
  @NoQuery()
  @HttpCode(200)
  @RequireScope('webhooks:write')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'Gives the webhook a new secret. For 24 hours deliveries have two signatures, one for each secret, so that a receiver ' +
      'can change at any time. The secret before the old one ends now.',
  })
  @ApiWebhookId()
  @ApiOkResponse({ type: WebhookWithSecretResponse, description: 'The webhook and its new secret.' })
  rotateSecret(
    @CurrentPrincipal() { id }: ApiKeyPrincipal,
    @Param('webhookId') webhookId: string,
  ): Promise<WebhookWithSecretResponse> {
    return this.webhooks.rotateSecret(id, webhookId);
  }
}
