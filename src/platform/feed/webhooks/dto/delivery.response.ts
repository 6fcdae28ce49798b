import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../../kernel/json/int64.js';
import { type AttemptError, ATTEMPT_ERRORS } from '../delivery/webhook-sender.js';
import { type Attempt, DeliveryState, type WebhookDelivery } from '../webhook-delivery.entity.js';
import { Int64Property, OptionalTimeProperty, TimeProperty } from '../../../kernel/json/property-types.js';
import { PLACES } from '../../../kernel/config/service.js';

@ApiSchema({ name: 'DeliveryAttempt' })
class AttemptResponse {
  @TimeProperty({ description: 'When it began (RFC 3339, UTC).', example: '2026-11-20T09:30:01.000Z' })
  readonly at!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'How long it took.',
    example: 83,
  })
  readonly milliseconds!: number;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    description: 'HTTP status of the response. Absent if there was none.',
    example: 503,
  })
  readonly status?: number;

  @ApiPropertyOptional({
    enum: ATTEMPT_ERRORS,
    enumName: 'DeliveryError',
    description: 'Why it failed. Absent if it succeeded.',
    example: 'http_status',
  })
  readonly error?: AttemptError;

  static from({ at, milliseconds, status, error }: Attempt): AttemptResponse {
    return { at, milliseconds, ...(status !== undefined && { status }), ...(error && { error }) };
  }
}

@ApiSchema({ name: 'Delivery' })
export class DeliveryResponse {
  @Int64Property({ description: 'Assigned by the service.', example: 90210 })
  readonly id!: Int64;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    description: 'The `id` of the event. Absent for a ping.',
    example: 4711,
  })
  readonly eventId?: Int64;

  @ApiProperty({ description: 'Type of the event, or `webhook.ping`.', example: PLACES.event })
  readonly type!: string;

  @ApiProperty({
    enum: DeliveryState,
    enumName: 'DeliveryState',
    description: '`pending` until an attempt has succeeded or the last one has failed.',
  })
  readonly state!: DeliveryState;

  @OptionalTimeProperty({
    description:
      'When the next attempt is due. Present while it is pending; past while others are sent first.',
    example: '2026-11-20T09:35:01.000Z',
  })
  readonly nextAttemptAt?: string;

  @ApiProperty({ type: [AttemptResponse], description: 'Oldest first.' })
  readonly attempts!: readonly AttemptResponse[];

  @TimeProperty({ description: 'When it was created (RFC 3339, UTC).', example: '2026-11-20T09:30:00.500Z' })
  readonly createdAt!: string;

  static from({
    id,
    eventId,
    type,
    state,
    nextAttemptAt,
    attempts,
    createdAt,
  }: WebhookDelivery): DeliveryResponse {
    return {
      id,
      ...(eventId !== null && { eventId }),
      type,
      state,
      ...(nextAttemptAt && { nextAttemptAt: latest(nextAttemptAt, createdAt).toISOString() }),
      attempts: attempts.map((attempt) => AttemptResponse.from(attempt)),
      createdAt: createdAt.toISOString(),
    };
  }
}

/** The place of a ping in the queue may be a time before its creation. */
const latest = (one: Date, other: Date): Date => (one > other ? one : other);
