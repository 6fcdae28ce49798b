import { Module } from '@nestjs/common';
import { EventSequencer } from './event-sequencer.js';
import { EventsService } from './events.service.js';

@Module({
  providers: [EventsService, EventSequencer],
  exports: [EventsService],
})
export class EventsModule {}
