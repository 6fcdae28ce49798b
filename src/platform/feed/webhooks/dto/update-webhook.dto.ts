import { ApiSchema } from '@nestjs/swagger';
import { EnumField, OptionalNotNull } from '../../../http/validation/property.decorators.js';
import { AtLeastOneProperty } from '../../../http/validation/body-rules.js';
import { PatchType } from '../../../http/validation/patch-type.js';
import { WebhookState } from '../webhook.entity.js';
import { CreateWebhookDto } from './create-webhook.dto.js';

@AtLeastOneProperty()
@ApiSchema({ name: 'WebhookChange' })
export class UpdateWebhookDto extends PatchType(CreateWebhookDto) {
  @OptionalNotNull()
  @EnumField(WebhookState, {
    name: 'WebhookState',
    required: false,
    description: '`disabled` stops deliveries. `enabled` resumes them with the events from then on.',
  })
  readonly state?: WebhookState;
}
