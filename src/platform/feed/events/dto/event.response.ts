import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../../kernel/json/int64.js';
import { readJson } from '../../../kernel/json/parse-json.js';
import { Int64Property, TimeProperty } from '../../../kernel/json/property-types.js';
import { PLACES } from '../../../kernel/config/service.js';

/** A row of the feed. */
export interface EventRow {
  readonly id: Int64;
  readonly type: string;
  readonly version: number;
  readonly occurredAt: Date;
  readonly data: string;
}

@ApiSchema({ name: 'Event' })
export class EventResponse {
  @Int64Property({ description: 'Ascending in the order of the feed.', example: 4711 })
  readonly id!: Int64;

  @ApiProperty({
    description: 'Type of the event. Ignore types you do not know: new ones may be added.',
    pattern: '^[a-z]+(_[a-z]+)*(\\.[a-z]+(_[a-z]+)*)+$',
    example: PLACES.event,
  })
  readonly type!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    description: 'Version of the schema of `data`. A breaking change increases it.',
    example: 1,
  })
  readonly version!: number;

  @TimeProperty({ description: 'When it happened (RFC 3339, UTC).', example: '2026-11-20T09:30:00.000Z' })
  readonly occurredAt!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The resource after the change. See `webhooks` in this document for the schema of each type.',
    example: { id: 42, name: 'Rex', categoryId: 1, status: 'available' },
  })
  readonly data!: object;

  static from({ id, type, version, occurredAt, data }: EventRow): EventResponse {
    return { id, type, version, occurredAt: occurredAt.toISOString(), data: readJson(data) as object };
  }
}
