import { Module } from '@nestjs/common';
import { EventFeed } from './event-feed.js';
import { EventHousekeeping, ExpiredEvents } from './event-housekeeping.js';
import { EventSequencer } from './event-sequencer.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

@Module({
  controllers: [EventsController],
  providers: [EventsService, EventFeed, EventSequencer, EventHousekeeping, ExpiredEvents],
  exports: [EventsService],
})
export class EventsModule {}
