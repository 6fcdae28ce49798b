import { Injectable } from '@nestjs/common';
import type { Int64 } from '../kernel/json/int64.js';
import type { Page } from '../kernel/pagination/page.js';
import { EventResponse } from './dto/event.response.js';
import type { ListEventsQuery } from './dto/list-events.query.js';
import { EventFeed } from './event-feed.js';
import { EventSequencer } from './event-sequencer.js';

/** Lists events. */
@Injectable()
export class EventsService {
  constructor(
    private readonly feed: EventFeed,
    private readonly sequencer: EventSequencer,
  ) {}

  /** Moves what is committed before the call into the feed, up to a limit. */
  async catchUp(): Promise<void> {
    await this.sequencer.catchUp();
  }

  /** The id of the newest event of the feed: events that are committed after the call get higher ids. */
  async newestId(): Promise<Int64> {
    await this.sequencer.catchUp();
    return this.feed.newestId();
  }

  /** @throws InvalidCursor, EventsExpired */
  async list(query: ListEventsQuery): Promise<Page<EventResponse>> {
    const page = await this.feed.page(query);
    return page.map((event) => EventResponse.from(event));
  }
}
