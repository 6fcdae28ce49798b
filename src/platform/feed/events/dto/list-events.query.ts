import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PageQuery } from '../../../http/pagination/page.query.js';
import { NotWith, OptionalNotNull } from '../../../http/validation/property.decorators.js';
import { EVENT_TYPES } from '../../../writes/unit-of-work/event-type.js';

export class ListEventsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: 'string',
    enum: EVENT_TYPES,
    enumName: 'EventType',
    description: 'Return only events of this type.',
  })
  @OptionalNotNull()
  @IsIn(EVENT_TYPES, { message: '$property must be one of $constraint1' })
  readonly type?: string;

  @ApiPropertyOptional({
    type: 'string',
    enum: ['now'],
    description:
      '`now`: an empty page, whose `Link` leads to all events that are committed from now on. Not with `cursor`.',
  })
  @OptionalNotNull()
  @IsIn(['now'], { message: '$property must be $constraint1' })
  @NotWith<ListEventsQuery>(({ cursor }) => cursor !== undefined, 'since cannot be combined with cursor')
  readonly since?: 'now';
}
