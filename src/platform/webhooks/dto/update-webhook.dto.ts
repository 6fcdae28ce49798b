import { ApiPropertyOptional, ApiSchema, PartialType } from '@nestjs/swagger';
import { IsEnum } from 'class-validator';
import { OptionalNotNull } from '../../validation/property.decorators.js';
import { AtLeastOneProperty } from '../../validation/body-rules.js';
import { WebhookState } from '../webhook.entity.js';
import { CreateWebhookDto } from './create-webhook.dto.js';

@AtLeastOneProperty()
@ApiSchema({ name: 'WebhookChange' })
export class UpdateWebhookDto extends PartialType(CreateWebhookDto, { skipNullProperties: false }) {
  @ApiPropertyOptional({
    enum: WebhookState,
    enumName: 'WebhookState',
    description: '`disabled` stops deliveries. `enabled` resumes them with the events from then on.',
  })
  @OptionalNotNull()
  @IsEnum(WebhookState, { message: 'state must be one of enabled, disabled' })
  readonly state?: WebhookState;
}
