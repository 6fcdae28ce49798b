// events/ gives recorded events their order, and serves the feed. Who records them is in `unit-of-work`.

import { Global, Module } from '@nestjs/common';
import { Changes } from '../../writes/unit-of-work/changes.js';
import { EventHousekeeping } from './event-housekeeping.js';
import { EventSequencer } from './event-sequencer.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';
import { addNewIdsCommand } from './new-ids.command.js';
import { WaitingWork } from './waiting-work.js';

/** Global: the pipe of `@UnitOfWork()`, in any feature, is given `Changes`. A module may still import it. */
@Global()
@Module({
  controllers: [EventsController],
  providers: [Changes, EventsService, EventSequencer, EventHousekeeping, WaitingWork],
  exports: [Changes, EventsService, WaitingWork],
})
export class EventsModule {
  static readonly scopes = ['events:read'] as const;
  static readonly commands = [addNewIdsCommand];
}
