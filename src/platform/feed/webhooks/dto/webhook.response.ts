import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../../kernel/json/int64.js';
import { DisabledReason, type Webhook, WebhookState } from '../webhook.entity.js';
import { Int64Property, OptionalTimeProperty, TimeProperty } from '../../../kernel/json/property-types.js';
import { PLACES } from '../../../kernel/config/service.js';

@ApiSchema({ name: 'Webhook' })
export class WebhookResponse {
  @Int64Property({ description: 'Assigned by the service.', example: 7 })
  readonly id!: Int64;

  @ApiProperty({
    description: 'Where events are sent.',
    minLength: 1,
    maxLength: 2048,
    example: `https://shop.example.com/${PLACES.prefix}-events`,
  })
  readonly url!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'The event types to send. An empty list means all.',
    example: [PLACES.event],
  })
  readonly types!: readonly string[];

  @ApiProperty({ enum: WebhookState, enumName: 'WebhookState', description: 'Whether events are sent.' })
  readonly state!: WebhookState;

  @ApiPropertyOptional({
    enum: DisabledReason,
    enumName: 'DisabledReason',
    description:
      'Why the webhook is disabled: on `request`, because its endpoint is `gone` (it returned 410), because it has ' +
      'been `failing` for 5 days, or by the `operator` of the service. Absent while it is enabled.',
  })
  readonly disabledReason?: DisabledReason;

  @OptionalTimeProperty({ description: 'When attempts began to fail. Absent after a success.' })
  readonly failingSince?: string;

  @OptionalTimeProperty({ description: 'After a rotation: when the previous secret stops signing.' })
  readonly previousSecretEndsAt?: string;

  @TimeProperty({ description: 'When it was created (RFC 3339, UTC).', example: '2026-11-20T09:30:00.000Z' })
  readonly createdAt!: string;

  /** @param now Unix milliseconds */
  static from(webhook: Webhook, now: number): WebhookResponse {
    const { id, url, types, state, disabledReason, failingSince, previousEndsAt, createdAt } = webhook;
    return {
      id,
      url,
      types,
      state,
      ...(disabledReason && { disabledReason }),
      ...(failingSince && { failingSince: failingSince.toISOString() }),
      ...(previousEndsAt &&
        previousEndsAt.getTime() > now && { previousSecretEndsAt: previousEndsAt.toISOString() }),
      createdAt: createdAt.toISOString(),
    };
  }
}

@ApiSchema({ name: 'WebhookWithSecret' })
export class WebhookWithSecretResponse extends WebhookResponse {
  @ApiProperty({
    description: 'Verifies the signatures of deliveries. Shown only once.',
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDfowmuTAEqsw=',
  })
  readonly secret!: string;

  /** @param now Unix milliseconds */
  static withSecret(webhook: Webhook, secret: string, now: number): WebhookWithSecretResponse {
    return Object.assign(WebhookResponse.from(webhook, now), { secret });
  }
}
