import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn } from 'class-validator';
import { EVENT_TYPES } from '../../../writes/unit-of-work/event-type.js';
import { OptionalNotNull, rule } from '../../../http/validation/property.decorators.js';
import { PLACES } from '../../../kernel/config/service.js';

const MAX_TYPES = 100;
const MAX_URL = 2048;

/**
 * White space, characters that are not printable, and backslashes: `URL` removes, encodes or replaces them, so
 * the URL would not be the one that is shown. `http` is accepted because it is allowed for the operator's
 * `WEBHOOK_ALLOWED_NETWORKS`.
 */
const UNPRINTABLE = /[\s\p{C}\\]/u;
const isUrl = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.length <= MAX_URL &&
  /^https?:\/\/[^/@:]/.test(value) &&
  !UNPRINTABLE.test(value) &&
  URL.canParse(value);

@ApiSchema({ name: 'NewWebhook' })
export class CreateWebhookDto {
  @ApiProperty({
    type: 'string',
    format: 'uri',
    minLength: 1,
    maxLength: MAX_URL,
    pattern: '^https?://',
    description:
      'Where to send events. It must use `https` and have no user name or fragment, and its host must have only ' +
      'public addresses. Replace the example by your own address.',
    example: `https://example.com/${PLACES.prefix}-events`,
  })
  @rule({
    name: 'webhookUrl',
    code: 'format',
    test: isUrl,
    message: `must be a URL of at most ${MAX_URL} characters that starts with https://`,
  })
  readonly url!: string;

  @ApiPropertyOptional({
    enum: EVENT_TYPES,
    enumName: 'EventType',
    enumSchema: { type: 'string' } as object, // the modules fill the list later, so the library cannot see what it holds
    isArray: true,
    uniqueItems: true,
    maxItems: MAX_TYPES,
    default: [],
    description: 'The event types to send. An empty list means all, including types added later.',
    example: [PLACES.event],
  })
  @OptionalNotNull()
  @IsArray({ message: 'types must be an array' })
  @ArrayMaxSize(MAX_TYPES)
  @ArrayUnique({ message: 'types must not hold a type twice' })
  @IsIn(EVENT_TYPES, { each: true, message: '$property must hold only $constraint1' })
  readonly types: string[] = [];
}
