import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { MAX_OVERLAP } from '../../keys/secret.js';
import { OptionalNotNull } from '../../../http/validation/property.decorators.js';
import { days, seconds } from '../../../kernel/clock/duration.js';

const DAY = days(1) / seconds(1);
const MAX = MAX_OVERLAP / seconds(1);

@ApiSchema({ name: 'Rotation' })
export class RotateKeyDto {
  @ApiPropertyOptional({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: MAX,
    default: DAY,
    description:
      'How long the secret you send keeps working, in seconds; 0 ends it now. If it is already the old one, its ' +
      'end stays the same. Any other secret ends now.',
    example: DAY,
  })
  @OptionalNotNull()
  @IsInt({ message: 'overlapSeconds must be an integer' })
  @Min(0, { message: 'overlapSeconds must be from 0 to 2592000' })
  @Max(MAX, { message: 'overlapSeconds must be from 0 to 2592000' })
  readonly overlapSeconds: number = DAY;
}
