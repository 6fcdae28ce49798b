import { Controller, Get, Query } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../access/auth/require-scope.decorator.js';
import { Paged } from '../../http/pagination/paged.decorator.js';
import type { Page } from '../../http/pagination/page.js';
import { ApiErrors } from '../../kernel/errors/api-errors.decorator.js';
import { Tag } from '../../http/core/operation-marks.js';
import { EventResponse } from './dto/event.response.js';
import { ListEventsQuery } from './dto/list-events.query.js';
import { EventsExpired } from './event.errors.js';
import { EventsService } from './events.service.js';

@Tag('events', 'A feed of all changes')
@Controller({ path: 'events', version: '1' })
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @RequireScope('events:read')
  @ApiExtension('x-further-rules', '`since` cannot be combined with `cursor`.')
  @ApiOperation({
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'Returns the events of the last 30 days, oldest first. Follow the `Link` header to see every event exactly ' +
      'once; the events of one resource come in commit order. Unlike other lists, the feed has no last page: ' +
      '`Link` is always present. Stop at an empty page, keep its `Link`, and follow it later. To copy the lists, first ask with ' +
      '`since=now`, then read the lists, then follow the `Link`.',
  })
  @Paged(EventResponse, {
    description: 'A page of events.',
    link: 'The next page: `<URL of the next page>; rel="next"` (RFC 8288). Always present, also on an empty page: stop there, and follow it later.',
  })
  @ApiErrors(new EventsExpired())
  list(@Query() query: ListEventsQuery): Promise<Page<EventResponse>> {
    return this.events.list(query);
  }
}
