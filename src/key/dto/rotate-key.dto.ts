import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { Optional } from '../../http/validation/optional.decorator.js';

const DAY = 86_400; // seconds
const MAX = 30 * DAY;

@ApiSchema({ name: 'Rotation' })
export class RotateKeyDto {
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: MAX,
    default: DAY,
    description: 'How long the old secret works, in seconds; 0 ends it now. The secret before it ends now.',
    example: DAY,
  })
  @Optional()
  @IsInt({ message: 'overlapSeconds must be an integer' })
  @Min(0, { message: 'overlapSeconds must be from 0 to 2592000' })
  @Max(MAX, { message: 'overlapSeconds must be from 0 to 2592000' })
  readonly overlapSeconds: number = DAY;
}
