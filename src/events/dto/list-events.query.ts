import { ApiPropertyOptional } from '@nestjs/swagger';
import { PageQuery } from '../../http/pagination/page-query.js';
import { Optional } from '../../http/validation/optional.decorator.js';
import { rule } from '../../http/validation/rule.js';
import { isEventType, eventTypeNames } from '../event-type.js';

export class ListEventsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: eventTypeNames, description: 'Only events of this type.' })
  @Optional()
  @rule('eventType', isEventType, 'must be a type of event')
  readonly type?: string;
}
