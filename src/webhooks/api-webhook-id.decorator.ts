import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ApiErrors } from '../openapi/decorators/api-errors.decorator.js';
import { WebhookNotFound } from './webhook.errors.js';

/** Describes the `webhookId` in the path of an operation. */
export const ApiWebhookId = (): MethodDecorator =>
  applyDecorators(
    ApiParam({
      name: 'webhookId',
      schema: { type: 'integer', format: 'int64', example: 7 },
      description: 'Identifier of the webhook.',
    }),
    ApiErrors(new WebhookNotFound('4711')),
  );
