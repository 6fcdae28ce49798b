import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { minutes, seconds } from '../kernel/clock/duration.js';
import { EventSequencer } from './event-sequencer.js';
import { ExpiredEvents } from './expired-events.js';

const SEQUENCE_EVERY = seconds(1);
const CLEAR_EVERY = minutes(10);

/** What each process does for the feed beside requests: it moves events into it, and clears old ones. */
@Injectable()
export class EventHousekeeping implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly timers: NodeJS.Timeout[] = [];
  private isFailing = false;

  constructor(
    private readonly sequencer: EventSequencer,
    private readonly expired: ExpiredEvents,
  ) {}

  onApplicationBootstrap(): void {
    this.every(SEQUENCE_EVERY, () => this.sequencer.catchUp());
    this.every(CLEAR_EVERY, () => this.expired.clear());
  }

  beforeApplicationShutdown(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private every(milliseconds: number, work: () => Promise<void>): void {
    let isRunning = false;
    const run = async () => {
      if (isRunning) return;
      isRunning = true;
      await this.attempt(work);
      isRunning = false;
    };
    this.timers.push(setInterval(() => void run(), milliseconds).unref());
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn(`The feed is brought up to date later: ${String(error)}`);
      this.isFailing = true;
    }
  }
}
