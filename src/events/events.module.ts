import { Module } from '@nestjs/common';
import { Changes } from './changes.js';
import { EventFeed } from './event-feed.js';
import { EventHousekeeping, ExpiredEvents } from './event-housekeeping.js';
import { EventSequencer } from './event-sequencer.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

@Module({
  controllers: [EventsController],
  providers: [Changes, EventsService, EventFeed, EventSequencer, EventHousekeeping, ExpiredEvents],
  exports: [Changes, EventsService],
})
export class EventsModule {}
