import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'FieldError' })
class FieldErrorResponse {
  @ApiProperty({
    description: 'The part of the request that the value is in.',
    enum: ['body', 'query', 'path', 'header'],
    example: 'query',
  })
  readonly in!: 'body' | 'query' | 'path' | 'header';

  @ApiProperty({
    description:
      'The property, parameter or header, with the names of its parents before it. `body` for the body as a whole.',
    minLength: 1,
    example: 'limit',
  })
  readonly field!: string;

  @ApiPropertyOptional({
    description:
      'Where it is in the body, as a JSON pointer (RFC 6901). Absent for other parts of the request.',
    example: '/name',
  })
  readonly pointer?: string;

  @ApiProperty({
    description:
      'The rule that the value violates, for programs: `required`, `type`, `enum`, `range`, `length`, `format`, ' +
      '`unknown` or `invalid`. A code keeps its meaning; new ones may be added.',
    pattern: '^[a-z]+(_[a-z]+)*$',
    example: 'range',
  })
  readonly code!: string;

  @ApiProperty({
    description: 'The rule that the value violates, for people. The wording may change.',
    minLength: 1,
    example: 'limit must be from 1 to 100',
  })
  readonly message!: string;
}

/** The body of every error response. */
@ApiSchema({ name: 'Error' })
export class ErrorResponse {
  @ApiProperty({
    description: 'Machine-readable error code. A code never changes its meaning; new ones may come.',
    pattern: '^[a-z]+(_[a-z]+)*$',
    example: 'validation_failed',
  })
  readonly code!: string;

  @ApiProperty({
    description: 'Human-readable description. The wording may change.',
    minLength: 1,
    example: 'limit must be from 1 to 100.',
  })
  readonly message!: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'The HTTP status code.',
    minimum: 400,
    maximum: 599,
    example: 400,
  })
  readonly status!: number;

  @ApiPropertyOptional({
    type: [FieldErrorResponse],
    description: 'Each invalid value, with a 400.',
    minItems: 1,
  })
  readonly details?: readonly FieldErrorResponse[];
}
