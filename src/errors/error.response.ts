import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'FieldProblem' })
export class FieldProblemResponse {
  @ApiProperty({ description: 'The member or parameter.', example: 'limit' })
  readonly field!: string;

  @ApiProperty({
    description: 'What is wrong with it.',
    example: 'limit must be a whole number from 1 to 100',
  })
  readonly message!: string;
}

/** The body of every refusal. */
@ApiSchema({ name: 'Error' })
export class ErrorResponse {
  @ApiProperty({ description: 'Machine-readable error code, in snake_case. Codes never change.' })
  readonly code!: string;

  @ApiProperty({ description: 'Human-readable description. The wording may change.' })
  readonly message!: string;

  @ApiProperty({ type: 'integer', description: 'The HTTP status code.', minimum: 400, maximum: 599 })
  readonly status!: number;

  @ApiPropertyOptional({ type: [FieldProblemResponse], description: 'Each invalid value, with a 400.' })
  readonly details?: readonly FieldProblemResponse[];
}
