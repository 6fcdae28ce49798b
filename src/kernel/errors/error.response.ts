import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'FieldProblem' })
export class FieldProblemResponse {
  @ApiProperty({ description: 'The member or parameter.', minLength: 1, example: 'limit' })
  readonly field!: string;

  @ApiProperty({
    description: 'What is wrong with it.',
    minLength: 1,
    example: 'limit must be a whole number from 1 to 100',
  })
  readonly message!: string;
}

/** The body of every refusal. */
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
    example: 'limit must be a whole number from 1 to 100.',
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
    type: [FieldProblemResponse],
    description: 'Each invalid value, with a 400.',
    minItems: 1,
  })
  readonly details?: readonly FieldProblemResponse[];
}
