import { ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../kernel/json/int64.js';
import { Int64Property } from '../../kernel/json/property-types.js';

@ApiSchema({ name: 'Ping' })
export class PingData {
  @Int64Property({ description: 'The webhook that received the ping.', example: 7 })
  readonly webhookId!: Int64;
}

/** What `POST /v1/webhooks/{webhookId}/ping` sends. */
export const PING = {
  name: 'webhook.ping',
  version: 1,
  data: PingData,
  id: 'The `id` of the delivery.',
  description: 'Sent on demand to test an endpoint. It is not in the feed and needs no subscription.',
};
