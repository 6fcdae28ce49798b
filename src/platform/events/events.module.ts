import { Module } from '@nestjs/common';
import { Changes } from '../unit-of-work/changes.js';
import { EventHousekeeping } from './event-housekeeping.js';
import { EventSequencer } from './event-sequencer.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

@Module({
  controllers: [EventsController],
  providers: [Changes, EventsService, EventSequencer, EventHousekeeping],
  exports: [Changes, EventsService],
})
export class EventsModule {
  static readonly scopes = ['events:read'] as const;
}
